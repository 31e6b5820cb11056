package io.csi4j.examples.shell;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command for claims. */
@Command(
        name = "claims",
        mixinStandardHelpOptions = true,
        description = "Lists the claims that wait, oldest first, and why.")
final class ClaimCommands extends ServerCommand {
    @Option(
            names = "--waiting",
            required = true,
            description = "only claims that wait; 'csi jobs' has the granted ones")
    private boolean waiting;

    @Override
    String op() {
        return "claims";
    }
}
