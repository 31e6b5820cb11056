package io.csi4j.replication.ratis;

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
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.SecretsCipher;
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

    private final Path directory;
    private UnaryOperator<RatisCommandLogBuilder> log = UnaryOperator.identity();
    private UnaryOperator<CommandLog> commands = UnaryOperator.identity();
    private UnaryOperator<VolumeLifecycleBuilder> lifecycle = UnaryOperator.identity();
    private NodeId nodeId = NodeId.of("local");
    private UnaryOperator<LocalNodeBuilder> node = UnaryOperator.identity();
    private @Nullable NodeDirectory agents;
    private UnaryOperator<RemoteNodeGatewayBuilder> gateway = UnaryOperator.identity();
    private @Nullable UnaryOperator<AgentServerBuilder> agentServer;
    private @Nullable SecretsCipher cipher;
    private @Nullable Environment environment;

    CsiServerBuilder(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /**
     * Sets peers, TLS and options of the log.
     *
     * @param settings changes the log's builder, whose environment is that of this server. Default: one
     *     peer, without a network
     */
    public CsiServerBuilder log(UnaryOperator<RatisCommandLogBuilder> settings) {
        this.log = Objects.requireNonNull(settings, "settings");
        return this;
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
     * Sets the id and the settings of the local node, which a server without {@link #agents} has.
     *
     * @param id the node; the same after a restart. Default: {@code local}
     * @param settings changes the node's builder; {@link LocalNodeBuilder#lifecycle} and the environment are those of this
     *     server
     */
    public CsiServerBuilder node(NodeId id, UnaryOperator<LocalNodeBuilder> settings) {
        this.nodeId = Objects.requireNonNull(id, "id");
        this.node = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Builds a server for the agents of other machines, without a local node.
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
     * Sets the cipher for secrets, contexts, mount flags and parameters in log and snapshots. All peers need the same keys.
     *
     * @param cipher for example an {@link io.csi4j.state.AesGcmSecretsCipher}. Default for a server without other peers:
     *     AES-GCM with the keys in the file {@code secrets.key} of the data directory, created with the mode 0600
     */
    public CsiServerBuilder secretsCipher(SecretsCipher cipher) {
        this.cipher = Objects.requireNonNull(cipher, "cipher");
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
     * Reads the files, and starts all parts. Blocks on the disk; a server with a local node also waits until it leads, at
     * most 30 seconds.
     *
     * @return a running server; the host closes it
     * @throws PeerFailedException if the files are damaged, or another server uses the directory
     * @throws NoLeaderException if a server with a local node does not lead in time
     * @throws IllegalStateException if a required part is not set
     * @throws IOException if the directory cannot be used, or an address cannot be listened on
     */
    public CsiServer build() throws IOException {
        if (agents == null && agentServer != null) {
            throw new IllegalStateException("CsiServerBuilder: agentServer is set without agents; set both, or neither"
                    + " for a server with a local node");
        }
        Environment world = environment == null ? Environment.system() : environment;
        try {
            RatisCommandLogBuilder settings = log.apply(RatisCommandLog.builder(directory));
            if (cipher != null) {
                settings.secretsCipher(cipher);
            }
            return start(world, settings.environment(world).start());
        } catch (IOException | RuntimeException unstarted) {
            closeOwn(world);
            throw unstarted;
        }
    }

    private void closeOwn(Environment world) {
        if (environment == null) {
            world.close();
        }
    }

    private CsiServer start(Environment world, RatisCommandLog running) throws IOException {
        ServerParts parts = new ServerParts(world, environment == null, running);
        try {
            if (agents == null) {
                startNode(parts);
            } else {
                startForAgents(parts, agents);
            }
            return new CsiServer(parts);
        } catch (IOException | RuntimeException unstarted) {
            parts.close();
            throw unstarted;
        }
    }

    /**
     * Starts the local node. Waits first until the peer of this log leads, because the engine of the node acts as the
     * leader at once.
     */
    private void startNode(ServerParts parts) throws IOException {
        awaitLeading(parts);
        LocalNode local = node.apply(LocalNode.builder(commands.apply(parts.log), nodeId, directory.resolve("node")))
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
                // Waits until the peer leads.
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

    private static NoLeaderException noLeader(RatisCommandLog log) {
        return new NoLeaderException(
                "CsiServer: the server does not lead after " + LEADS_AT_START + ": " + log.status()
                        + ". A server with a local node runs without other peers; with them, set agents",
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
