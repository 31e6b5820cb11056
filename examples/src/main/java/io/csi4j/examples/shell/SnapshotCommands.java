package io.csi4j.examples.shell;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The commands for snapshots. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description = "Snapshots. 'csi volume snapshot' takes one; 'csi volume create --from-snapshot' restores one.",
        subcommands = {SnapshotCommands.ListAll.class, SnapshotCommands.Delete.class})
final class SnapshotCommands {
    private SnapshotCommands() {}

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the snapshots at the provider.")
    static final class ListAll extends ServerCommand {
        @Override
        String op() {
            return "snapshot list";
        }
    }

    @Command(name = "delete", mixinStandardHelpOptions = true, description = "Deletes a snapshot.")
    static final class Delete extends ServerCommand {
        @Parameters(paramLabel = "SNAPSHOT", description = "the provider's id of the snapshot")
        private String snapshot = "";

        @Override
        String op() {
            return "snapshot delete";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("snapshot", snapshot);
        }
    }
}
