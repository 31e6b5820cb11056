package io.csi4j.examples.agents;

import io.csi4j.client.Endpoint;
import io.csi4j.client.RequestLog;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;

/** An agent whose request log is switched on and off while it runs. The level is set in Logback, as a program does it. */
public final class LogbackAgent {
    private static final System.Logger LOGGER = System.getLogger("program");
    private static final PluginId PLUGIN = PluginId.of("hostpath");

    private LogbackAgent() {}

    /**
     * Runs the program.
     *
     * @param args an absolute directory with a short name
     */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        LOGGER.log(Level.INFO, "the agent starts");
        try (RunningNode node = RunningNode.start(
                NodeId.of("node-1"),
                PLUGIN,
                directory.resolve("node"),
                Endpoint.unix(directory.resolve("no-server.sock")),
                Endpoint.unix(directory.resolve("agent.sock")),
                directory.resolve("storage"))) {
            node.agent()
                    .plugins()
                    .waitForHealthy(PluginRole.NODE, PLUGIN, Duration.ofSeconds(40))
                    .join();
            LOGGER.log(Level.INFO, "the request log is off");
            node.agent().plugins().pluginInfo(PLUGIN).join();
            set("DEBUG");
            LOGGER.log(Level.INFO, "the request log is on");
            node.agent().plugins().pluginInfo(PLUGIN).join();
            set("INFO");
            LOGGER.log(Level.INFO, "the request log is off again");
            node.agent().plugins().pluginInfo(PLUGIN).join();
        }
    }

    /** Sets the level of the request log. Only the process of this program has Logback, so its classes are found by name. */
    private static void set(String level) throws ReflectiveOperationException {
        Object logger = Class.forName("org.slf4j.LoggerFactory")
                .getMethod("getLogger", String.class)
                .invoke(null, RequestLog.LOGGER);
        Class<?> levels = Class.forName("ch.qos.logback.classic.Level");
        logger.getClass()
                .getMethod("setLevel", levels)
                .invoke(logger, levels.getField(level).get(null));
    }
}
