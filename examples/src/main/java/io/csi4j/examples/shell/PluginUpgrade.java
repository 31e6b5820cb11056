package io.csi4j.examples.shell;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that replaces the plugin process of a node. */
@Command(
        name = "upgrade",
        mixinStandardHelpOptions = true,
        description = "Replaces the plugin process of a node by another version. Mounts stay.")
final class PluginUpgrade extends ServerCommand {
    @Parameters(paramLabel = "NODE", description = "the node")
    private String node = "";

    @Option(names = "--to", paramLabel = "VERSION", required = true, description = "the new version")
    private String version = "";

    PluginUpgrade(Path sockets) {
        super(sockets);
    }

    @Override
    String op() {
        return "plugin upgrade";
    }

    @Override
    Map<String, String> arguments() {
        return Map.of("node", node, "version", version);
    }
}
