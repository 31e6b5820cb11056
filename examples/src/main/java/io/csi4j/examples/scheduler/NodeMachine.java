package io.csi4j.examples.scheduler;

import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The processes of one node: the agent, and the plugin at the endpoint that the agent prepared. Guarded by {@link Machines}. */
final class NodeMachine {
    private final ClusterLayout layout;
    private final NodeId node;
    private final DriverCommand command;
    private String version = "1.0.0";
    private String endpoint = "";
    private boolean off;
    private boolean withoutPlugin;
    /** The number of machines that this one has replaced. */
    private int replacements;

    private @Nullable ChildProcess agent;
    private @Nullable ChildProcess plugin;

    NodeMachine(ClusterLayout layout, NodeId node, DriverCommand command) {
        this.layout = layout;
        this.node = node;
        this.command = command;
    }

    void startAgent() throws IOException {
        String name = "agent-" + node;
        agent = ChildProcess.java(
                name,
                layout.log(name),
                SchedulerAgent.class.getName(),
                layout.directory().toString(),
                node.value());
    }

    /** Starts the plugin after the agent has prepared the directory of its socket. */
    void startPlugin() throws IOException {
        endpoint = agent().awaitFirstLine();
        plugin = command.start(layout, node, externalId(), endpoint, version);
    }

    void restart() throws IOException {
        if (off) {
            return;
        }
        if (!agent().isAlive()) {
            startAgent();
            endpoint = agent().awaitFirstLine();
        }
        if (!plugin().isAlive() && !withoutPlugin) {
            startPlugin();
        }
    }

    /** Returns the id by which the plugin knows this machine. */
    String externalId() {
        return replacements == 0 ? node.value() : node + "-m" + replacements;
    }

    /** Gives the machine another identity at the plugin, while it is off. */
    void replace() {
        replacements++;
    }

    void removePlugin() {
        withoutPlugin = true;
        plugin().kill();
    }

    void returnPlugin() {
        withoutPlugin = false;
    }

    void killAgent() {
        agent().kill();
    }

    void killPlugin() {
        plugin().kill();
    }

    void halt() {
        off = true;
        agent().kill();
        plugin().kill();
    }

    void resume() {
        off = false;
    }

    void upgrade(String newVersion) throws IOException {
        version = newVersion;
        if (!off) {
            plugin().end(command.isFake());
            startPlugin();
        }
    }

    boolean usesFakePlugin() {
        return command.isFake();
    }

    String endpoint() {
        return endpoint;
    }

    List<Long> pids() {
        return Stream.of(agent(), plugin())
                .filter(ChildProcess::isAlive)
                .map(ChildProcess::pid)
                .toList();
    }

    void close() {
        if (agent != null) {
            agent.end(true);
        }
        if (plugin != null) {
            plugin.end(command.isFake());
        }
    }

    private ChildProcess agent() {
        return started(agent);
    }

    private ChildProcess plugin() {
        return started(plugin);
    }

    private ChildProcess started(@Nullable ChildProcess process) {
        if (process == null) {
            throw new IllegalStateException(node + " is not started");
        }
        return process;
    }
}
