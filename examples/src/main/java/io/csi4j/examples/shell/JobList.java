package io.csi4j.examples.shell;

import java.nio.file.Path;
import picocli.CommandLine.Command;

/** The command for jobs. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists all allocations with their nodes, states and volumes.")
final class JobList extends ServerCommand {
    JobList(Path sockets) {
        super(sockets);
    }

    @Override
    String op() {
        return "job list";
    }
}
