package io.csi4j.examples.shell;

import picocli.CommandLine.Command;

/** The command for jobs. */
@Command(
        name = "jobs",
        mixinStandardHelpOptions = true,
        description = "Lists all allocations with their nodes, states and volumes.")
final class JobCommands extends ServerCommand {
    @Override
    String op() {
        return "job status";
    }
}
