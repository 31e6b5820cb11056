package io.csi4j.server;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.LocalNode;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.spi.ReplicatedLogBuilder;
import io.csi4j.core.state.ObservableState;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A ready-made server: a {@link ReplicatedLog} with the state, the engine, and either the plugins and volumes of this
 * machine ({@link LocalNode}) or an endpoint for the agents of other machines ({@link AgentServer}). The engine acts only
 * while this server leads. A killed server loses nothing that it has confirmed to a caller. Thread-safe.
 *
 * <pre>{@code
 * Path directory = Path.of("/var/lib/scheduler");
 * try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
 *         .node(NodeId.of("local"), directory.resolve("node"))
 *         .build()) {
 *     server.lifecycle().volumes().register(key, spec).join();
 * }
 * }</pre>
 */
public final class CsiServer implements AutoCloseable {
    private final ServerParts parts;

    CsiServer(ServerParts parts) {
        this.parts = parts;
    }

    /**
     * Returns a builder.
     *
     * @param log starts the log with the environment of the server; {@code RatisCommandLog.builder} for example
     */
    public static CsiServerBuilder builder(ReplicatedLogBuilder log) {
        return new CsiServerBuilder(Objects.requireNonNull(log, "log"));
    }

    /**
     * Returns the engine, through which the host manages volumes. The server lets the engine act only while this server
     * leads, and closes the engine when the server is closed.
     */
    public VolumeLifecycle lifecycle() {
        return parts.lifecycle();
    }

    /** Returns the log; the server closes it. */
    public ReplicatedLog log() {
        return parts.log;
    }

    /**
     * Returns the log with its own methods, for example those that add and remove peers.
     *
     * @param type the class of the log that the builder starts
     * @throws IllegalStateException if the log is of another class
     */
    public <L extends ReplicatedLog> L log(Class<L> type) {
        if (!type.isInstance(parts.log)) {
            throw new IllegalStateException(
                    "CsiServer: the log is a " + parts.log.getClass().getName() + " and no " + type.getName()
                            + "; ask for the class that the builder starts");
        }
        return type.cast(parts.log);
    }

    /** Returns the state of this server, which may be behind that of the leader. */
    public ObservableState state() {
        return parts.log.state();
    }

    /**
     * Returns the plugins and volumes of this machine; the server closes it.
     *
     * @throws IllegalStateException if the server was built without a {@linkplain CsiServerBuilder#node node}
     */
    public LocalNode node() {
        return required("local node", parts.node, "set node in the builder");
    }

    /**
     * Returns the endpoint for agents; the server closes it. Empty: the server has a local node, or no address for agents
     * was set.
     */
    public Optional<AgentServer> agentServer() {
        return Optional.ofNullable(parts.agentServer);
    }

    /**
     * Returns the gateway to agents; the server closes it.
     *
     * @throws IllegalStateException if the server was built without {@linkplain CsiServerBuilder#agents agents}
     */
    public RemoteNodeGateway gateway() {
        return required("gateway to agents", parts.gateway, "set agents in the builder");
    }

    private static <T> T required(String name, @Nullable T part, String remedy) {
        if (part == null) {
            throw new IllegalStateException("CsiServer: this server has no " + name + "; " + remedy);
        }
        return part;
    }

    /**
     * Closes all parts in this order: the agents' endpoint, the node, the engine, the gateway, and the log. Plugins and
     * mounts stay as they are. Blocks until the files are closed, for at most about ten seconds. Further calls have no
     * effect.
     */
    @Override
    public void close() {
        parts.close();
    }
}
