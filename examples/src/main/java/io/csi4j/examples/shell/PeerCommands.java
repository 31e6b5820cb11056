package io.csi4j.examples.shell;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for the servers and their log. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = "Servers and their log.",
        subcommands = {
            PeerCommands.Status.class,
            PeerCommands.Add.class,
            PeerCommands.Replace.class,
            PeerCommands.Remove.class,
            PeerCommands.Backup.class
        })
final class PeerCommands {
    private PeerCommands() {}

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Shows the leader, the progress of its log, and the peers.")
    static final class Status extends ServerCommand {
        @Override
        String op() {
            return "server status";
        }
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Adds a peer that runs already, with an empty directory. Waits until it votes.")
    static final class Add extends ServerCommand {
        @Parameters(paramLabel = "PEER", description = "an id that was never used")
        private String peer = "";

        @Option(names = "--address", paramLabel = "HOST:PORT", required = true, description = "where peers reach it")
        private String address = "";

        @Override
        String op() {
            return "server add";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("peer", peer, "address", address);
        }
    }

    @Command(
            name = "replace",
            mixinStandardHelpOptions = true,
            description = "Replaces a dead peer by one that runs already, with an empty directory, in one step.")
    static final class Replace extends ServerCommand {
        @Parameters(paramLabel = "OLD", index = "0", description = "the dead peer")
        private String old = "";

        @Parameters(paramLabel = "PEER", index = "1", description = "an id that was never used")
        private String peer = "";

        @Option(names = "--address", paramLabel = "HOST:PORT", required = true, description = "where peers reach it")
        private String address = "";

        @Override
        String op() {
            return "server replace";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("old", old, "peer", peer, "address", address);
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a peer, which may be dead. Its directory must not be used again.")
    static final class Remove extends ServerCommand {
        @Parameters(paramLabel = "PEER", description = "the peer")
        private String peer = "";

        @Override
        String op() {
            return "server remove";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("peer", peer);
        }
    }

    @Command(
            name = "backup",
            mixinStandardHelpOptions = true,
            description = "Writes a snapshot of the state, and says which files to copy while the server is stopped.")
    static final class Backup extends ServerCommand {
        @Override
        String op() {
            return "server backup";
        }
    }
}
