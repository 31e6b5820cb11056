package io.csi4j.examples.shell;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The scheduler's own commands for nodes. */
final class NodeCommands {
    private NodeCommands() {}

    /** A command for one node. */
    abstract static class OneNode extends ServerCommand {
        @Parameters(paramLabel = "NODE", description = "the node, for example node-1")
        private String node = "";

        OneNode(Path sockets) {
            super(sockets);
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("node", node);
        }
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = "Moves all allocations away from a node, and waits until no volume is left on it.")
    static final class Drain extends OneNode {
        Drain(Path sockets) {
            super(sockets);
        }

        @Override
        String op() {
            return "node drain";
        }
    }

    @Command(
            name = "undrain",
            mixinStandardHelpOptions = true,
            description = "Lets a drained node run allocations again.")
    static final class Undrain extends OneNode {
        Undrain(Path sockets) {
            super(sockets);
        }

        @Override
        String op() {
            return "node undrain";
        }
    }

    @Command(
            name = "fence",
            mixinStandardHelpOptions = true,
            description = "Switches a node off, and reports it as fenced, so that its volumes are released.")
    static final class Fence extends OneNode {
        Fence(Path sockets) {
            super(sockets);
        }

        @Override
        String op() {
            return "node fence";
        }
    }

    @Command(name = "start", mixinStandardHelpOptions = true, description = "Switches a fenced node on again.")
    static final class Start extends OneNode {
        Start(Path sockets) {
            super(sockets);
        }

        @Override
        String op() {
            return "node start";
        }
    }
}
