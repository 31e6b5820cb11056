package io.csi4j.agent;

import static io.csi4j.agent.RemoteNodeGateway.required;

import io.csi4j.agent.internal.relay.AgentLink;
import io.csi4j.agent.internal.server.PendingClaims;
import io.csi4j.agent.internal.server.ServersService;
import io.csi4j.agent.internal.wire.Peer;
import io.csi4j.agent.internal.wire.PeerInterceptor;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds an {@link AgentServer}. Not safe for use by several threads. */
public final class AgentServerBuilder {
    private static final String NAME = "AgentServer";

    private final VolumeLifecycle lifecycle;
    private final CommandLog log;
    private final List<Place> places = new ArrayList<>();
    private @Nullable RemoteNodeGateway gateway;
    private @Nullable Environment environment;
    private PeerRules rules = PeerRules.byUri();
    private int maxInboundMessageSize = WireContext.DEFAULT_MAX_INBOUND_MESSAGE_SIZE;

    /** Where to listen, and for whom; without a peer, certificates tell. */
    private record Place(Endpoint endpoint, @Nullable Peer peer) {}

    AgentServerBuilder(VolumeLifecycle lifecycle, CommandLog log) {
        this.lifecycle = Objects.requireNonNull(lifecycle, "lifecycle");
        this.log = Objects.requireNonNull(log, "log");
    }

    /**
     * Adds a place on a network where agents and other servers call, with certificates on both sides.
     *
     * @param endpoint {@link Endpoint#remote} with {@code trustedCertificates} and {@code clientCertificate}, which is
     *     shown here as that of the server; the host is the address to listen at
     * @return this
     * @throws IllegalArgumentException if the endpoint has no TLS
     */
    public AgentServerBuilder listen(Endpoint endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        if (endpoint.tls().isEmpty()) {
            throw new IllegalArgumentException("listen: " + endpoint + " has no certificates, so it cannot be told who"
                    + " calls; use Endpoint.remote with TLS, or listenToAgent and listenToServers for a socket of"
                    + " which you know who can reach it");
        }
        places.add(new Place(endpoint, null));
        return this;
    }

    /**
     * Adds a place without certificates for the agent of one node: whoever can reach it, speaks for that node.
     *
     * @param endpoint a Unix socket, in a directory that only the host's user may enter, or a loopback address
     * @param node the node
     * @return this
     * @throws IllegalArgumentException if the endpoint has TLS
     */
    public AgentServerBuilder listenToAgent(Endpoint endpoint, NodeId node) {
        Objects.requireNonNull(endpoint, "endpoint");
        Objects.requireNonNull(node, "node");
        places.add(new Place(plain(endpoint), Peer.agentOf(node)));
        return this;
    }

    /**
     * Adds a place without certificates for other servers, which have calls passed on.
     *
     * @param endpoint a Unix socket, in a directory that only the host's user may enter, or a loopback address
     * @return this
     * @throws IllegalArgumentException if the endpoint has TLS
     */
    public AgentServerBuilder listenToServers(Endpoint endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        places.add(new Place(plain(endpoint), Peer.aServer("a server")));
        return this;
    }

    private static Endpoint plain(Endpoint endpoint) {
        if (endpoint.tls().isPresent()) {
            throw new IllegalArgumentException("listen: " + endpoint
                    + " has certificates, and they tell who calls; use listen(endpoint) for agents and servers alike");
        }
        return endpoint;
    }

    /**
     * Sets what reaches agents for other servers. Required.
     *
     * @param gateway this server's own
     * @return this
     */
    public AgentServerBuilder gateway(RemoteNodeGateway gateway) {
        this.gateway = Objects.requireNonNull(gateway, "gateway");
        return this;
    }

    /**
     * Sets time, threads and randomness.
     *
     * @param environment the host closes it, after the server. If not set, the server has its own {@link Environment#system()} and
     *     closes it with itself
     * @return this
     */
    public AgentServerBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets whose certificates are whose.
     *
     * @param rules {@link PeerRules#byUri()} if not set
     * @return this
     */
    public AgentServerBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets the largest message to accept of agents, and of servers that have calls passed on. Messages hold what plugins
     * are asked and answer, and a little more: whoever raises
     * {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize} for plugins that do not page their lists raises
     * this too. Who sends more is told the sizes and the name of this setting.
     *
     * @param bytes 16 MiB if not set; at least 1
     * @return this
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public AgentServerBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireContext.checkedMessageSize(bytes);
        return this;
    }

    /**
     * Begins to serve.
     *
     * @return a server that serves; the host closes it
     * @throws IllegalStateException if something required was not set
     * @throws IllegalArgumentException if certificates cannot be used
     * @throws IOException if it cannot listen at one of the places
     */
    public AgentServer start() throws IOException {
        if (places.isEmpty()) {
            throw new IllegalStateException(NAME + ": no place to listen is set; use listen, or listenToAgent");
        }
        AgentLink link = required(NAME, "gateway", gateway).link();
        Environment world = environment == null ? Environment.system() : environment;
        var parts = new ServersService.ServedParts(lifecycle, log, world.clock(), link);
        String name = Long.toHexString(world.random().nextLong());
        WireContext wire = new WireContext(world, environment == null, maxInboundMessageSize);
        PendingClaims claims = new PendingClaims(lifecycle, wire);
        ServersService service = new ServersService(name, parts, claims);
        List<WireServer> servers = new ArrayList<>();
        try {
            for (Place place : places) {
                PeerInterceptor peers = place.peer() == null
                        ? PeerInterceptor.byCertificate(rules)
                        : PeerInterceptor.bound(place.peer());
                servers.add(WireServer.start(wire, place.endpoint(), peers, service, wire.executor()));
            }
        } catch (IOException | RuntimeException unserved) {
            servers.forEach(WireServer::close);
            wire.close();
            throw unserved;
        }
        return new AgentServer(wire, servers, claims);
    }
}
