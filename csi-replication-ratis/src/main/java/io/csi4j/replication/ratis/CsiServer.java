package io.csi4j.replication.ratis;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.LocalNode;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.state.StateStore;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A ready-made server: a {@link RatisCommandLog} on disk, the state, the engine, and either the plugins and volumes of
 * this machine ({@link LocalNode}) or an endpoint for the agents of other machines ({@link AgentServer}). The engine
 * acts only while this server leads. A killed server loses nothing that it has confirmed to a caller. Thread-safe.
 *
 * <pre>{@code
 * try (CsiServer server = CsiServer.builder(Path.of("/var/lib/scheduler")).build()) {
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
     * Returns a builder. Without further settings, the builder makes a server that has a local node on the same machine
     * and opens no port.
     *
     * @param dataDirectory the directory of all files of the server, created if it is missing. One server may use it at
     *     a time. For a server with a local node, the absolute path may have at most 68 bytes, because the length of a
     *     socket's address is limited
     */
    public static CsiServerBuilder builder(Path dataDirectory) {
        return new CsiServerBuilder(Objects.requireNonNull(dataDirectory, "dataDirectory"));
    }

    /**
     * Returns the engine, through which the host manages volumes. The server lets the engine act only while this server
     * leads, and closes the engine when the server is closed.
     */
    public VolumeLifecycle lifecycle() {
        return parts.lifecycle();
    }

    /** Returns the log; the server closes it. */
    public RatisCommandLog log() {
        return parts.log;
    }

    /** Returns the state of this server; the server closes it. */
    public StateStore store() {
        return parts.log.state();
    }

    /**
     * Returns the plugins and volumes of this machine; the server closes it.
     *
     * @throws IllegalStateException if the server was built for {@linkplain CsiServerBuilder#agents agents}
     */
    public LocalNode node() {
        return required("local node", parts.node, "leave out agents in the builder");
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
     * @throws IllegalStateException if the server has a local node
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
