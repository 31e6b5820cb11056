package io.csi4j.agent;

import static io.csi4j.agent.Required.required;

import io.csi4j.agent.internal.relay.AgentLink;
import io.csi4j.agent.internal.server.AgentPeers;
import io.csi4j.agent.internal.server.PendingClaims;
import io.csi4j.agent.internal.server.ServersService;
import io.csi4j.agent.internal.wire.PeerInterceptor;
import io.csi4j.agent.internal.wire.WireCaller;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds {@link AgentServer}s. Not thread-safe. */
public final class AgentServerBuilder {
    private static final System.Logger LOG = System.getLogger(AgentServerBuilder.class.getName());
    private static final String NAME = "AgentServer";

    private final VolumeLifecycle lifecycle;
    private final CommandLog log;
    private final List<Listener> listeners = new ArrayList<>();
    private @Nullable RemoteNodeGateway gateway;
    private @Nullable Environment environment;
    private PeerRules rules = PeerRules.byUri();
    private int maxInboundMessageSize = WireContext.DEFAULT_MAX_INBOUND_MESSAGE_SIZE;

    /** An address to listen on, and the only peer that may connect to it; if the peer is null, certificates identify the peers. */
    private record Listener(Endpoint endpoint, @Nullable WireCaller peer) {}

    AgentServerBuilder(VolumeLifecycle lifecycle, CommandLog log) {
        this.lifecycle = Objects.requireNonNull(lifecycle, "lifecycle");
        this.log = Objects.requireNonNull(log, "log");
    }

    /**
     * Adds an address for agents and other servers, with certificates on both sides.
     *
     * @param endpoint {@link Endpoint#remote} with the address to listen on, {@code trustedCertificates}, and the
     *     server's own certificate as {@code certificate}
     * @throws IllegalArgumentException if the endpoint has no TLS
     */
    public AgentServerBuilder listen(Endpoint endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        if (endpoint.tls().isEmpty()) {
            throw new IllegalArgumentException("listen: " + endpoint + " has no certificates, so it cannot be known who"
                    + " calls; use Endpoint.remote with TLS, or listenToAgent and listenToServers for a socket of"
                    + " which you know who can reach it");
        }
        listeners.add(new Listener(endpoint, null));
        return this;
    }

    /**
     * Adds an address without certificates for the agent of one node. Every process that can connect may report for that node.
     *
     * @param endpoint a Unix socket in a directory of the host's user, or a loopback address
     * @param node the node
     * @throws IllegalArgumentException if the endpoint has TLS
     */
    public AgentServerBuilder listenToAgent(Endpoint endpoint, NodeId node) {
        Objects.requireNonNull(endpoint, "endpoint");
        Objects.requireNonNull(node, "node");
        listeners.add(new Listener(plain(endpoint), WireCaller.agentOf(node)));
        return this;
    }

    /**
     * Adds an address without certificates for other servers, whose calls are forwarded.
     *
     * @param endpoint a Unix socket in a directory of the host's user, or a loopback address
     * @throws IllegalArgumentException if the endpoint has TLS
     */
    public AgentServerBuilder listenToServers(Endpoint endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        listeners.add(new Listener(plain(endpoint), WireCaller.aServer("a server")));
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
     * Sets the gateway that reaches agents for other servers. Required.
     *
     * @param gateway this server's own gateway
     */
    public AgentServerBuilder gateway(RemoteNodeGateway gateway) {
        this.gateway = Objects.requireNonNull(gateway, "gateway");
        return this;
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the server; if not set, the server has its own {@link
     *     Environment#system()} and closes it
     */
    public AgentServerBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /** Sets the rules that identify the owners of certificates. Default: {@link PeerRules#byUri()}. */
    public AgentServerBuilder peers(PeerRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /**
     * Sets the largest message to accept from agents and from servers with forwarded calls. Messages contain requests to plugins and their
     * responses, so raise this limit together with {@link io.csi4j.client.CsiClient.Builder#maxInboundMessageSize}. The sender of a larger
     * message gets an error with the sizes and the name of this setting.
     *
     * @param bytes at least 1. Default: 16 MiB
     * @throws IllegalArgumentException if the number is zero or negative
     */
    public AgentServerBuilder maxInboundMessageSize(int bytes) {
        this.maxInboundMessageSize = WireContext.checkedMessageSize(bytes);
        return this;
    }

    /**
     * Starts the server.
     *
     * @return a running server; the host closes it
     * @throws IllegalStateException if a required part is not set, or the engine was built without {@link
     *     io.csi4j.core.lifecycle.VolumeLifecycleBuilder#controllers}
     * @throws IllegalArgumentException if certificates cannot be used
     * @throws IOException if it cannot listen on an address
     */
    public AgentServer start() throws IOException {
        if (listeners.isEmpty()) {
            throw new IllegalStateException(NAME + ": no place to listen is set; use listen, or listenToAgent");
        }
        if (!lifecycle.controllersSet()) {
            throw new IllegalStateException(NAME + ": the engine would call a controller wherever an agent reports one,"
                    + " with the secrets of all volumes; say with VolumeLifecycleBuilder.controllers which ones it may"
                    + " call, for example ControllerTrust.declaredDeployments()");
        }
        AgentLink link = required(NAME, "gateway", gateway).link();
        Environment world = environment == null ? Environment.system() : environment;
        String name = Long.toHexString(world.random().nextLong());
        WireContext wire = new WireContext(world, environment == null, maxInboundMessageSize);
        PendingClaims claims = new PendingClaims(PendingClaims.Engine.of(lifecycle), wire.timer(), wire.executor());
        var parts = new ServersService.ServedParts(lifecycle, log, world.clock(), link, wire.causes());
        AgentPeers connections = new AgentPeers(link.contacts());
        ServersService service = new ServersService(name, parts, claims);
        List<WireServer> servers = new ArrayList<>();
        try {
            for (Listener listener : listeners) {
                PeerInterceptor peers = listener.peer() == null
                        ? PeerInterceptor.byCertificate(rules)
                        : PeerInterceptor.bound(listener.peer());
                servers.add(WireServer.start(wire, listener.endpoint(), peers, connections, service, wire.executor()));
                LOG.log(Level.INFO, () -> "Agents and servers can connect to " + listener.endpoint());
            }
        } catch (IOException | RuntimeException unserved) {
            servers.forEach(WireServer::close);
            wire.close();
            throw unserved;
        }
        return new AgentServer(wire, servers, claims);
    }
}
