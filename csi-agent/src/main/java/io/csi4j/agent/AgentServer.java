package io.csi4j.agent;

import io.csi4j.agent.internal.server.PendingClaims;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Serves the agents of nodes on a server: their fingerprints of plugins, claims of workloads, and reports of unmounted
 * volumes. Forwards calls of other servers to agents that it reaches directly.
 *
 * <p>An agent may speak for its own node only: the node of its certificate, or the node that its socket is bound to.
 */
public final class AgentServer implements AutoCloseable {
    private final WireContext wire;
    private final List<WireServer> servers;
    private final PendingClaims claims;

    AgentServer(WireContext wire, List<WireServer> servers, PendingClaims claims) {
        this.wire = wire;
        this.servers = List.copyOf(servers);
        this.claims = claims;
    }

    /**
     * A builder; gateway, clock, timer, executor, random and a place to listen have to be set.
     *
     * @param lifecycle what claims, on behalf of whom the host wants; that one needs the right to mount, and, for what
     *     agents report, {@link io.csi4j.core.spi.Permission#NODE_REPORT}
     * @param log what keeps the state
     * @return a new builder
     */
    public static AgentServerBuilder builder(VolumeLifecycle lifecycle, CommandLog log) {
        Objects.requireNonNull(lifecycle, "lifecycle");
        Objects.requireNonNull(log, "log");
        return new AgentServerBuilder(lifecycle, log);
    }

    /** Ends it: agents go on and look for another server. Claims that wait are taken back. Does not wait. */
    @Override
    public void close() {
        wire.closing();
        servers.forEach(WireServer::close);
        claims.close();
        wire.close();
    }

    /**
     * When it has ended, so that another one can listen at the same places.
     *
     * @return completes some time after {@link #close()}
     */
    public CompletableFuture<@Nullable Void> closed() {
        return wire.threads().ended();
    }
}
