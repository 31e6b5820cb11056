package io.csi4j.examples.shell;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command for claims. */
@Command(
        name = "claims",
        mixinStandardHelpOptions = true,
        description = "Lists the claims that wait, oldest first, and why.")
final class ClaimCommands extends ServerCommand {
    /** Lists waiting claims. Always required, because the command lists no other claims. */
    @Option(
            names = "--waiting",
            required = true,
            description = "only claims that wait; 'csi jobs' has the granted ones")
    void onlyWaiting(boolean waiting) {
        if (!waiting) {
            throw new CommandLine.ParameterException(new CommandLine(this), "use 'csi jobs' for granted claims");
        }
    }

    @Override
    String op() {
        return "claims";
    }
}
