package io.csi4j.examples.shell;

import com.google.gson.JsonElement;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The scheduler's own commands for its servers. */
final class PeerCommands {
    private PeerCommands() {}

    @Command(name = "peers", mixinStandardHelpOptions = true, description = "Lists the peers with their addresses.")
    static final class ListAll extends ServerCommand {
        ListAll(Path sockets) {
            super(sockets);
        }

        @Override
        String op() {
            return "server peers";
        }
    }

    @Command(
            name = "meters",
            mixinStandardHelpOptions = true,
            description = "Prints the meters of a server in the format of Prometheus.")
    static final class Meters extends ServerCommand {
        private final Path sockets;

        Meters(Path sockets) {
            super(sockets);
            this.sockets = sockets;
        }

        @Parameters(index = "0", paramLabel = "SERVER", description = "the server, for example server-2")
        private String server = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "TEXT",
                defaultValue = "",
                description = "only lines with this text, for example csi4j_claims")
        private String text = "";

        @Override
        String op() {
            return "server meters";
        }

        @Override
        List<Path> sockets() {
            return List.of(sockets.resolve(server.replaceFirst("^server-", "")));
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("text", text);
        }

        @Override
        int show(JsonElement answer) {
            printLines(answer);
            return CommandLine.ExitCode.OK;
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Ends a server, which then stays off until it is started.")
    static final class Stop extends ServerCommand {
        Stop(Path power) {
            super(power);
        }

        @Parameters(paramLabel = "SERVER", description = "the server, for example server-2")
        private String server = "";

        @Override
        String op() {
            return "server stop";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("server", server);
        }
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Starts a server that was stopped. Prints its peer and address.")
    static final class Start extends ServerCommand {
        Start(Path power) {
            super(power);
        }

        @Parameters(paramLabel = "SERVER", description = "the server, for example server-2")
        private String server = "";

        @Option(
                names = "--empty",
                description = "with an empty directory and a new id, for 'server replace'; the former directory stays")
        private boolean empty;

        @Override
        String op() {
            return empty ? "server start empty" : "server start";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("server", server);
        }
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Adds a peer that runs already, with an empty directory. Waits until it votes.")
    static final class Add extends ServerCommand {
        Add(Path sockets) {
            super(sockets);
        }

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
        Replace(Path sockets) {
            super(sockets);
        }

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
        Remove(Path sockets) {
            super(sockets);
        }

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
}
