package io.csi4j.examples.shell;

import com.google.gson.JsonElement;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for volumes. */
@Command(
        name = "volume",
        mixinStandardHelpOptions = true,
        description = "Volumes.",
        subcommands = {
            VolumeCommands.ListAll.class,
            VolumeCommands.Status.class,
            VolumeCommands.Create.class,
            VolumeCommands.Register.class,
            VolumeCommands.Expand.class,
            VolumeCommands.TakeSnapshot.class,
            VolumeCommands.Detach.class,
            VolumeCommands.Delete.class,
            RepairCommands.Recheck.class,
            RepairCommands.OverrideClaim.class,
            RepairCommands.OverrideAttachment.class,
            RepairCommands.ForgetUnmount.class,
            RepairCommands.WithdrawDeletion.class,
            RepairCommands.WithdrawExpansion.class,
            RepairCommands.WithdrawCreation.class,
            RepairCommands.Withdrawn.class,
            RepairCommands.ForgetWithdrawn.class,
            RepairCommands.Forget.class,
            RepairCommands.Leftovers.class,
            RepairCommands.OverrideLeftover.class
        })
final class VolumeCommands {
    private VolumeCommands() {}

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists all volumes.")
    static final class ListAll extends ServerCommand {
        @Override
        String op() {
            return "volume list";
        }
    }

    /** A command for one volume. */
    abstract static class OneVolume extends ServerCommand {
        @Parameters(paramLabel = "VOLUME", description = "ID, or NAMESPACE/ID")
        private String volume = "";

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = new LinkedHashMap<>();
            arguments.put("volume", volume);
            return arguments;
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Shows claims, attachments, waiting claims, errors and remaining work of a volume.")
    static final class Status extends OneVolume {
        @Override
        String op() {
            return "volume status";
        }
    }

    /** A command that adds a volume to the state. */
    abstract static class NewVolume extends OneVolume {
        @Option(names = "--plugin", paramLabel = "ID", defaultValue = "hostpath", description = "default: hostpath")
        private String plugin = "";

        @Option(
                names = "--mode",
                paramLabel = "MODE",
                defaultValue = "SINGLE_NODE_WRITER",
                description = "one of CSI's access modes; default: SINGLE_NODE_WRITER")
        private String mode = "";

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("plugin", plugin);
            arguments.put("mode", mode);
            return arguments;
        }
    }

    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates a volume at the provider.")
    static final class Create extends NewVolume {
        @Option(
                names = "--size",
                paramLabel = "SIZE",
                defaultValue = "64Mi",
                description = "for example 1Gi; default: 64Mi")
        private String size = "";

        @Option(
                names = "--from-snapshot",
                paramLabel = "ID",
                defaultValue = "",
                description = "restore this snapshot into the new volume")
        private String snapshot = "";

        @Override
        String op() {
            return "volume create";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("size", size);
            arguments.put("fromSnapshot", snapshot);
            return arguments;
        }
    }

    @Command(
            name = "register",
            mixinStandardHelpOptions = true,
            description = "Registers a volume that exists at the provider.")
    static final class Register extends NewVolume {
        @Option(
                names = "--external-id",
                paramLabel = "ID",
                required = true,
                description = "the provider's id of the volume")
        private String externalId = "";

        @Override
        String op() {
            return "volume register";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("externalId", externalId);
            return arguments;
        }
    }

    @Command(
            name = "expand",
            mixinStandardHelpOptions = true,
            description = "Expands a volume, also while workloads use it.")
    static final class Expand extends OneVolume {
        @Option(names = "--size", paramLabel = "SIZE", required = true, description = "the least size afterwards")
        private String size = "";

        @Override
        String op() {
            return "volume expand";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("size", size);
            return arguments;
        }
    }

    @Command(name = "snapshot", mixinStandardHelpOptions = true, description = "Creates a snapshot of a volume.")
    static final class TakeSnapshot extends OneVolume {
        @Option(
                names = "--name",
                paramLabel = "NAME",
                required = true,
                description = "your name of the snapshot; the same name returns the same snapshot")
        private String name = "";

        @Override
        String op() {
            return "volume snapshot";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("name", name);
            return arguments;
        }
    }

    @Command(
            name = "detach",
            mixinStandardHelpOptions = true,
            description = "Tries all steps to detach a volume from a node now; allocations that run keep it.")
    static final class Detach extends OneVolume {
        @Parameters(paramLabel = "NODE", index = "1", description = "the node")
        private String node = "";

        @Override
        String op() {
            return "volume detach";
        }

        @Override
        Map<String, String> arguments() {
            Map<String, String> arguments = super.arguments();
            arguments.put("node", node);
            return arguments;
        }

        @Override
        boolean succeeded(JsonElement answer) {
            return answer.getAsJsonObject().get("detached").getAsBoolean();
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description =
                    "Deletes a volume at the provider. Remove it from the job file first, or it is created again.")
    static final class Delete extends OneVolume {
        @Override
        String op() {
            return "volume delete";
        }
    }
}
