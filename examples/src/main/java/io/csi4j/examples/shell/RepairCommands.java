package io.csi4j.examples.shell;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for a volume whose work does not end by itself. */
final class RepairCommands {
    private RepairCommands() {}

    /** A statement of an operator, which the state keeps. */
    abstract static class Statement extends VolumeCommands.OneVolume {
        @Option(
                names = "--reason",
                paramLabel = "TEXT",
                required = true,
                description = "how you know it; the state keeps the text")
        private String reason = "";

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = new LinkedHashMap<>(super.arguments());
            arguments.put("reason", reason);
            return arguments;
        }
    }

    @Command(
            name = "override-claim",
            mixinStandardHelpOptions = true,
            description = "States that a volume is no longer mounted on the node of a claim, which the node cannot say."
                    + " If it is mounted nevertheless, two nodes may write to it.")
    static final class OverrideClaim extends Statement {
        @Parameters(paramLabel = "ALLOCATION", index = "1", description = "the allocation of the claim")
        private String allocation = "";

        @Override
        String op() {
            return "repair override-claim";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("allocation", allocation);
            return arguments;
        }
    }

    @Command(
            name = "override-attachment",
            mixinStandardHelpOptions = true,
            description = "States that a volume is detached from a node, which the plugin cannot confirm.")
    static final class OverrideAttachment extends Statement {
        @Parameters(paramLabel = "NODE", index = "1", description = "the node")
        private String node = "";

        @Override
        String op() {
            return "repair override-attachment";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("node", node);
            return arguments;
        }
    }

    @Command(
            name = "forget-unmount",
            mixinStandardHelpOptions = true,
            description = "Orders a node to finish the unmount of a volume without its plugin, if nothing of it is"
                    + " mounted there.")
    static final class ForgetUnmount extends Statement {
        @Parameters(paramLabel = "NODE", index = "1", description = "the node")
        private String node = "";

        @Parameters(paramLabel = "ALLOCATION", index = "2", description = "the allocation that used the volume")
        private String allocation = "";

        @Override
        String op() {
            return "repair forget-unmount";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("node", node);
            arguments.put("allocation", allocation);
            return arguments;
        }
    }

    @Command(
            name = "withdraw-deletion",
            mixinStandardHelpOptions = true,
            description = "Ends a deletion that does not finish, if the plugin confirms that the volume is there.")
    static final class WithdrawDeletion extends VolumeCommands.OneVolume {
        @Override
        String op() {
            return "repair withdraw-deletion";
        }
    }

    @Command(
            name = "withdraw-expansion",
            mixinStandardHelpOptions = true,
            description = "Ends an expansion that does not finish.")
    static final class WithdrawExpansion extends VolumeCommands.OneVolume {
        @Override
        String op() {
            return "repair withdraw-expansion";
        }
    }

    @Command(
            name = "recheck",
            mixinStandardHelpOptions = true,
            description = "Lets the leader plan the remaining work of a volume again, and prints its status.")
    static final class Recheck extends VolumeCommands.OneVolume {
        @Override
        String op() {
            return "repair recheck";
        }
    }

    @Command(
            name = "forget",
            mixinStandardHelpOptions = true,
            description = "Removes a volume from the state, and lists what nodes may still have of it. The provider"
                    + " keeps the volume.")
    static final class Forget extends Statement {
        @Override
        String op() {
            return "repair forget";
        }
    }

    @Command(
            name = "withdraw-creation",
            mixinStandardHelpOptions = true,
            description = "Gives up a creation that does not finish, and prints the record of what it may have made.")
    static final class WithdrawCreation extends Statement {
        @Override
        String op() {
            return "repair withdraw-creation";
        }
    }

    @Command(
            name = "leftovers",
            mixinStandardHelpOptions = true,
            description = "Lists what forgotten volumes may have left on nodes.")
    static final class Leftovers extends ServerCommand {
        @Override
        String op() {
            return "repair leftovers";
        }
    }

    @Command(
            name = "withdrawn",
            mixinStandardHelpOptions = true,
            description = "Lists the withdrawn creations that may have made a volume at the provider.")
    static final class Withdrawn extends ServerCommand {
        @Override
        String op() {
            return "repair withdrawn";
        }
    }

    /** A statement of an operator about something that no volume of the state has. */
    abstract static class ProviderStatement extends ServerCommand {
        @Parameters(paramLabel = "PLUGIN", index = "0", description = "the plugin")
        private String plugin = "";

        @Option(
                names = "--reason",
                paramLabel = "TEXT",
                required = true,
                description = "how you know it; the log of commands keeps the text")
        private String reason = "";

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = new LinkedHashMap<>();
            arguments.put("plugin", plugin);
            arguments.put("reason", reason);
            return arguments;
        }
    }

    @Command(
            name = "override-leftover",
            mixinStandardHelpOptions = true,
            description = "States that no node has a forgotten volume mounted or attached any more. If one has, two"
                    + " nodes may write to it.")
    static final class OverrideLeftover extends ProviderStatement {
        @Parameters(paramLabel = "ID", index = "1", description = "the provider's id of the volume")
        private String externalId = "";

        @Override
        String op() {
            return "repair override-leftover";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("externalId", externalId);
            return arguments;
        }
    }

    @Command(
            name = "forget-withdrawn",
            mixinStandardHelpOptions = true,
            description = "States that the provider has no volume of a withdrawn creation and will have none.")
    static final class ForgetWithdrawn extends ProviderStatement {
        @Parameters(paramLabel = "NAME", index = "1", description = "the name that CreateVolume sent")
        private String name = "";

        @Override
        String op() {
            return "repair forget-withdrawn";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("name", name);
            return arguments;
        }
    }

    @Command(
            name = "preview",
            mixinStandardHelpOptions = true,
            description = "Lists what a statement about a node would change. Changes nothing.")
    static class PreviewNode extends NodeCommands.OneNode {
        @Parameters(
                paramLabel = "STATEMENT",
                index = "1",
                description = "UNMOUNTED: nothing is mounted there; DETACHED: nothing is attached either;"
                        + " FORMER_MACHINE_LOST: another machine runs there now, and the former one is off;"
                        + " MACHINE_RENAMED: the plugin only reports another id for the same machine")
        private String statement = "";

        @Override
        String op() {
            return "repair preview-node";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = new LinkedHashMap<>(super.arguments());
            arguments.put("statement", statement);
            return arguments;
        }
    }

    @Command(
            name = "override",
            mixinStandardHelpOptions = true,
            description = "Makes a statement about all claims and attachments of a node, and lists what it changed. If"
                    + " the statement is wrong, two nodes may write to one volume: see 'node preview' first.")
    static final class OverrideNode extends PreviewNode {
        @Option(
                names = "--reason",
                paramLabel = "TEXT",
                required = true,
                description = "how you know it; the state keeps the text")
        private String reason = "";

        @Override
        String op() {
            return "repair override-node";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("reason", reason);
            return arguments;
        }
    }
}
