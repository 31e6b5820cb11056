package io.csi4j.agent;

import io.csi4j.agent.internal.server.PendingClaims;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the connections of agents on behalf of a server. Agents send the fingerprints of their plugins, claims for
 * workloads, and reports of unmounted volumes. Other servers may send calls, which this object forwards to agents that
 * it reaches directly.
 *
 * <p>An agent may report for its own node only. Its certificate names this node; on an address without certificates,
 * it is the node of {@link AgentServerBuilder#listenToAgent}.
 */
public final class AgentServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AgentServer.class.getName());

    private final WireContext wire;
    private final List<WireServer> servers;
    private final PendingClaims claims;

    AgentServer(WireContext wire, List<WireServer> servers, PendingClaims claims) {
        this.wire = wire;
        this.servers = List.copyOf(servers);
        this.claims = claims;
    }

    /**
     * Returns a builder; the gateway and an address to listen on have to be set.
     *
     * @param lifecycle the engine that serves the agents' claims. The engine's caller, for which the host created this
     *     object, needs the permission to mount, and {@link io.csi4j.core.spi.Permission#NODE_REPORT} for the reports
     *     of agents
     * @param log the command log
     */
    public static AgentServerBuilder builder(VolumeLifecycle lifecycle, CommandLog log) {
        Objects.requireNonNull(lifecycle, "lifecycle");
        Objects.requireNonNull(log, "log");
        return new AgentServerBuilder(lifecycle, log);
    }

    /** Closes the server; agents continue and connect to another server. Waiting claims of agents are withdrawn. Does not wait. */
    @Override
    public void close() {
        if (!wire.isClosed()) {
            LOG.log(Level.INFO, "Agents and servers cannot connect any more");
        }
        wire.closing();
        servers.forEach(WireServer::close);
        claims.close();
        wire.close();
    }

    /** Returns a future that completes after {@link #close()}, as soon as another server can listen on the same addresses. */
    public CompletableFuture<@Nullable Void> closed() {
        return wire.threads().ended();
    }
}
