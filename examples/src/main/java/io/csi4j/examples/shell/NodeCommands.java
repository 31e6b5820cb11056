package io.csi4j.examples.shell;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The commands for nodes. */
@Command(
        name = "node",
        mixinStandardHelpOptions = true,
        description = "Nodes.",
        subcommands = {
            NodeCommands.Status.class,
            NodeCommands.Report.class,
            NodeCommands.Drain.class,
            NodeCommands.Undrain.class,
            NodeCommands.Fence.class,
            NodeCommands.Start.class,
            RepairCommands.PreviewNode.class,
            RepairCommands.OverrideNode.class
        })
final class NodeCommands {
    private NodeCommands() {}

    @Command(name = "status", mixinStandardHelpOptions = true, description = "Lists all nodes.")
    static final class Status extends ServerCommand {
        @Override
        String op() {
            return "node status";
        }
    }

    /** A command for one node. */
    abstract static class OneNode extends ServerCommand {
        @Parameters(paramLabel = "NODE", description = "the node, for example node-1")
        private String node = "";

        @Override
        Map<String, String> arguments() {
            return Map.of("node", node);
        }
    }

    @Command(
            name = "report",
            mixinStandardHelpOptions = true,
            description = "Asks the agent of a node what the node has of volumes, and which of its work does not end.")
    static final class Report extends OneNode {
        @Override
        String op() {
            return "node report";
        }
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = "Moves all allocations away from a node, and waits until no volume is left on it.")
    static final class Drain extends OneNode {
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
        @Override
        String op() {
            return "node fence";
        }
    }

    @Command(name = "start", mixinStandardHelpOptions = true, description = "Switches a fenced node on again.")
    static final class Start extends OneNode {
        @Override
        String op() {
            return "node start";
        }
    }
}
