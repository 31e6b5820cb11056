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
        subcommands = {PluginCommands.Status.class, PluginCommands.Upgrade.class})
final class PluginCommands {
    private PluginCommands() {}

    @Command(name = "status", mixinStandardHelpOptions = true, description = "Lists all plugins with their instances.")
    static final class Status extends ServerCommand {
        @Override
        String op() {
            return "plugin status";
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
}
