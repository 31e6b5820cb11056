package io.csi4j.examples.shell;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for plugins. */
@Command(
        name = "plugin",
        mixinStandardHelpOptions = true,
        description = "Plugins.",
        subcommands = {
            PluginCommands.Status.class,
            PluginCommands.Upgrade.class,
            PluginCommands.Reconcile.class,
            PluginCommands.Orphans.class,
            PluginCommands.Provider.class
        })
final class PluginCommands {
    private PluginCommands() {}

    @Command(name = "status", mixinStandardHelpOptions = true, description = "Lists all plugins with their instances.")
    static final class Status extends ServerCommand {
        @Override
        String op() {
            return "plugin status";
        }
    }

    /** A command for one plugin. */
    abstract static class OnePlugin extends ServerCommand {
        @Parameters(paramLabel = "PLUGIN", arity = "0..1", defaultValue = "hostpath", description = "default: hostpath")
        private String plugin = "";

        @Override
        Map<String, String> arguments() {
            return Map.of("plugin", plugin);
        }
    }

    @Command(
            name = "reconcile",
            mixinStandardHelpOptions = true,
            description = "Compares the attachments at the provider with the state.")
    static final class Reconcile extends OnePlugin {
        @Option(names = "--repair", description = "detach what no claim needs; attach again what claims need")
        private boolean repair;

        @Override
        String op() {
            return "plugin reconcile";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("plugin", String.valueOf(super.arguments().get("plugin")), "repair", String.valueOf(repair));
        }
    }

    @Command(
            name = "orphans",
            mixinStandardHelpOptions = true,
            description = "Lists volumes at the provider that no volume of the state refers to. Deletes nothing.")
    static final class Orphans extends OnePlugin {
        @Override
        String op() {
            return "plugin orphans";
        }
    }

    @Command(
            name = "upgrade",
            mixinStandardHelpOptions = true,
            description = "Replaces the plugin process of a node by another version. Mounts stay.")
    static final class Upgrade extends ServerCommand {
        @Parameters(paramLabel = "NODE", description = "the node")
        private String node = "";

        @Option(names = "--to", paramLabel = "VERSION", required = true, description = "the new version")
        private String version = "";

        @Override
        String op() {
            return "plugin upgrade";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("node", node, "version", version);
        }
    }

    @Command(
            name = "provider",
            mixinStandardHelpOptions = true,
            description = "Says which driver the volumes of a plugin belong to, if two drivers run under its id.")
    static final class Provider extends ServerCommand {
        @Parameters(index = "0", paramLabel = "PLUGIN", description = "the plugin")
        private String plugin = "";

        @Parameters(index = "1", paramLabel = "NAME", description = "the provider name of the right driver")
        private String provider = "";

        @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "the evidence; it is stored")
        private String reason = "";

        @Override
        String op() {
            return "plugin provider";
        }

        @Override
        Map<String, String> arguments() {
            return Map.of("plugin", plugin, "provider", provider, "reason", reason);
        }
    }
}
