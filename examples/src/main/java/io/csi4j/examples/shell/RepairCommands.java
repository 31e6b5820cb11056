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
}
