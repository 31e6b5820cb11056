package io.csi4j.server;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.AgentServerBuilder;
import io.csi4j.agent.LocalNode;
import io.csi4j.agent.LocalNodeBuilder;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.RemoteNodeGatewayBuilder;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.spi.ReplicatedLogBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds {@link CsiServer}s. Not thread-safe. */
public final class CsiServerBuilder {
    private static final Duration LEADS_AT_START = Duration.ofSeconds(30);

    private final ReplicatedLogBuilder log;
    private UnaryOperator<CommandLog> commands = UnaryOperator.identity();
    private UnaryOperator<VolumeLifecycleBuilder> lifecycle = UnaryOperator.identity();
    private @Nullable LocalNodeSettings node;
    private @Nullable NodeDirectory agents;
    private UnaryOperator<RemoteNodeGatewayBuilder> gateway = UnaryOperator.identity();
    private @Nullable UnaryOperator<AgentServerBuilder> agentServer;
    private @Nullable Environment environment;

    private record LocalNodeSettings(NodeId id, Path directory, UnaryOperator<LocalNodeBuilder> changes) {}

    CsiServerBuilder(ReplicatedLogBuilder log) {
        this.log = log;
    }

    /**
     * Decorates the log for the engine, the node and the endpoint of agents; a command that the host submits to
     * {@link CsiServer#log()} itself does not pass the decorator.
     *
     * @param decorator returns a log that submits to the given one, for example {@code CsiMeters::timed}, which measures
     *     each command
     */
    public CsiServerBuilder commands(UnaryOperator<CommandLog> decorator) {
        this.commands = Objects.requireNonNull(decorator, "decorator");
        return this;
    }

    /**
     * Sets the options of the engine, and the host's implementations of access control, secrets, events and fencing.
     *
     * @param settings changes the engine's builder, whose log, gateway and environment are those of this server. Of the
     *     controllers that agents report, a server calls those of {@linkplain
     *     io.csi4j.core.spi.ControllerTrust#declaredDeployments() declared deployments}, unless the settings say
     *     otherwise; a server with a local node calls those of its node
     */
    public CsiServerBuilder lifecycle(UnaryOperator<VolumeLifecycleBuilder> settings) {
        this.lifecycle = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Builds a server with a node on the same machine, which opens no port. Either this method or {@link #agents} is
     * required.
     *
     * @param id the node; the same after a restart
     * @param directory the directory of sockets, ledger and mounts of the node, created if it is missing; as {@link
     *     LocalNode#builder} wants it
     */
    public CsiServerBuilder node(NodeId id, Path directory) {
        return node(id, directory, UnaryOperator.identity());
    }

    /**
     * Builds a server with a node on the same machine, as {@link #node(NodeId, Path)}.
     *
     * @param id the node; the same after a restart
     * @param directory the directory of sockets, ledger and mounts of the node
     * @param settings changes the node's builder; {@link LocalNodeBuilder#lifecycle} and the environment are those of this
     *     server
     */
    public CsiServerBuilder node(NodeId id, Path directory, UnaryOperator<LocalNodeBuilder> settings) {
        this.node = new LocalNodeSettings(
                Objects.requireNonNull(id, "id"),
                directory.toAbsolutePath(),
                Objects.requireNonNull(settings, "settings"));
        return this;
    }

    /**
     * Builds a server for the agents of other machines, without a local node. Either this method or {@link #node} is
     * required.
     *
     * @param directory finds the agent of a node
     * @param settings changes the gateway's builder, whose environment is that of this server, and whose capabilities are those that the
     *     state knows
     */
    public CsiServerBuilder agents(NodeDirectory directory, UnaryOperator<RemoteNodeGatewayBuilder> settings) {
        this.agents = Objects.requireNonNull(directory, "directory");
        this.gateway = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets the addresses to which agents and other servers connect. {@link #agents} has to be set, too.
     *
     * @param settings changes the endpoint's builder, whose gateway and environment are those of this server; at least
     *     one address has to be set
     */
    public CsiServerBuilder agentServer(UnaryOperator<AgentServerBuilder> settings) {
        this.agentServer = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers of all parts.
     *
     * @param environment the host's environment, which the host closes after the server; if not set, the server has its own
     *     {@link Environment#system()} and closes it
     */
    public CsiServerBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Starts the log, and then all other parts. Blocks while the log starts; a server with a local node also waits until
     * it leads, at most 30 seconds.
     *
     * @return a running server; the host closes it
     * @throws LogFailedException if stored entries of the log are damaged, or another server uses its place
     * @throws NoLeaderException if a server with a local node does not lead in time
     * @throws IllegalStateException if a required part is not set
     * @throws IOException if the place of the log or a directory cannot be used, or an address cannot be listened on
     */
    public CsiServer build() throws IOException {
        checkParts();
        Environment world = environment == null ? Environment.system() : environment;
        try {
            return start(world, log.environment(world).start());
        } catch (IOException | RuntimeException unstarted) {
            closeOwn(world);
            throw unstarted;
        }
    }

    private void checkParts() {
        if (agents == null && agentServer != null) {
            throw new IllegalStateException("CsiServerBuilder: agentServer is set without agents; set both, or neither"
                    + " for a server with a local node");
        }
        if ((agents == null) == (node == null)) {
            throw new IllegalStateException("CsiServerBuilder: "
                    + (agents == null ? "neither agents nor node is set" : "both agents and node are set")
                    + "; set node for the volumes of this machine, or agents for those of other machines");
        }
    }

    private void closeOwn(Environment world) {
        if (environment == null) {
            world.close();
        }
    }

    private CsiServer start(Environment world, ReplicatedLog running) throws IOException {
        ServerParts parts = new ServerParts(world, environment == null, running);
        try {
            if (node != null) {
                startNode(parts, node);
            }
            if (agents != null) {
                startForAgents(parts, agents);
            }
            return new CsiServer(parts);
        } catch (IOException | RuntimeException unstarted) {
            parts.close();
            throw unstarted;
        }
    }

    /**
     * Starts the local node. Waits first until this server leads, because the engine of the node acts as the leader at
     * once.
     */
    private void startNode(ServerParts parts, LocalNodeSettings settings) throws IOException {
        awaitLeading(parts);
        LocalNode local = settings.changes()
                .apply(LocalNode.builder(commands.apply(parts.log), settings.id(), settings.directory()))
                .lifecycle(lifecycle)
                .environment(parts.environment)
                .start();
        parts.node = local;
        parts.lead(local.lifecycle());
    }

    private static void awaitLeading(ServerParts parts) {
        CompletableFuture<Boolean> leads = new CompletableFuture<>();
        Runnable remove = parts.log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                leads.complete(true);
            }

            @Override
            public void stopLeading() {
                // Waits until the server leads.
            }
        });
        var unused = parts.log.failed().thenAccept(leads::completeExceptionally);
        Timeouts timeouts = new Timeouts(parts.environment.timer(), parts.environment.executor());
        try {
            timeouts.limit(leads, LEADS_AT_START, () -> noLeader(parts.log)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } finally {
            remove.run();
        }
    }

    private static NoLeaderException noLeader(ReplicatedLog log) {
        return new NoLeaderException(
                "CsiServer: the server does not lead after " + Durations.text(LEADS_AT_START) + ": " + log.status()
                        + ". A server with a local node runs without other servers; with them, set agents",
                null);
    }

    private static Capabilities capabilities(CommandLog log, InstanceKey instance) {
        return log.state()
                .snapshot()
                .instance(instance)
                .map(PluginInstance::capabilities)
                .orElseGet(Capabilities::unknown);
    }

    private void startForAgents(ServerParts parts, NodeDirectory directory) throws IOException {
        RemoteNodeGateway remote = gateway.apply(RemoteNodeGateway.builder(directory)
                        .capabilities(instance -> capabilities(parts.log, instance)))
                .environment(parts.environment)
                .build();
        parts.gateway = remote;
        CommandLog decorated = commands.apply(parts.log);
        VolumeLifecycle engine = lifecycle
                .apply(VolumeLifecycle.builder().controllers(ControllerTrust.declaredDeployments()))
                .log(decorated)
                .gateway(remote)
                .environment(parts.environment)
                .build();
        parts.lead(engine);
        if (agentServer != null) {
            parts.agentServer = agentServer
                    .apply(AgentServer.builder(engine, engine.log()))
                    .gateway(remote)
                    .environment(parts.environment)
                    .start();
        }
    }
}
