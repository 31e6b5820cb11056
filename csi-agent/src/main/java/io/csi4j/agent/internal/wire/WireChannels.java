package io.csi4j.agent.internal.wire;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.client.internal.file.SocketOwner;
import io.csi4j.client.internal.timer.TimerScheduler;
import io.csi4j.core.id.NodeId;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The connections to servers and agents. Each server and each agent has one connection, which is opened at the first call. */
public final class WireChannels implements AutoCloseable {
    private static final int MAX_METADATA_SIZE = 1 << 20;
    private static final Duration SECOND_ATTEMPT = Duration.ofMillis(1);

    private final WireContext wire;
    private final PeerRules rules;
    private final FailsafeExecutor<Object> sending;
    private final ConcurrentMap<Endpoint, ManagedChannel> servers = new ConcurrentHashMap<>();
    /** The connections to agents; there is one for each node, because its agent has one address. */
    private final ConcurrentMap<NodeId, Opened> agents = new ConcurrentHashMap<>();

    public WireChannels(WireContext wire, PeerRules rules) {
        this.wire = wire;
        this.rules = rules;
        this.sending = Failsafe.with(RetryPolicy.builder()
                        .handleIf(failure -> failure instanceof WireException refused && refused.isUnwritten())
                        .withMaxAttempts(2)
                        .withDelay(SECOND_ATTEMPT)
                        .build())
                .with(new TimerScheduler(wire.timer()));
    }

    /**
     * The peer of a connection.
     *
     * @param endpoint the address
     * @param node if present, the peer must be the agent of this node; if empty, the peer must be a server
     */
    public record Whom(Endpoint endpoint, Optional<NodeId> node) {
        @Override
        public String toString() {
            return node.map(id -> "the agent of node " + id).orElse("the server") + " at " + endpoint;
        }
    }

    private record Opened(Endpoint endpoint, ManagedChannel channel) {}

    /**
     * Returns the connection for a new call. A connection to another address of the same node's agent is closed; its calls in flight end
     * by themselves.
     *
     * @throws WireException if this object is closed
     * @throws IllegalArgumentException if the endpoint's certificates cannot be used
     */
    private ManagedChannel to(Whom whom) {
        if (wire.isClosed()) {
            throw WireException.closed();
        }
        ManagedChannel channel = whom.node().isPresent()
                ? agent(whom.node().get(), whom)
                : servers.computeIfAbsent(whom.endpoint(), endpoint -> open(whom));
        if (wire.isClosed()) {
            channel.shutdownNow();
        }
        return channel;
    }

    private ManagedChannel agent(NodeId node, Whom whom) {
        List<Opened> given = new ArrayList<>();
        Opened opened = agents.compute(node, (id, found) -> {
            if (found != null && found.endpoint.equals(whom.endpoint())) {
                return found;
            }
            Opened other = new Opened(whom.endpoint(), open(whom));
            if (found != null) {
                given.add(found);
            }
            return other;
        });
        given.forEach(old -> old.channel.shutdown());
        return opened.channel;
    }

    /**
     * Sends a request and receives its response; see {@link WireCall}. The request is sent once more only if its
     * connection was closed before it was written, because the peer has then not received it. Cancelling the returned
     * future cancels the call. Fails if {@link #to} throws.
     */
    public <Q, A> CompletableFuture<A> call(Whom whom, MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        Deadline end = Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS);
        return sending.getStageAsync(() -> WireCall.send(to(whom), wire.executor(), method, request, deadline, end));
    }

    /** Closes the direct connection to the agent of a node; its calls in flight end by themselves. */
    public void forget(NodeId node) {
        Opened old = agents.remove(node);
        if (old != null) {
            old.channel.shutdown();
        }
    }

    private ManagedChannel open(Whom whom) {
        return builder(whom)
                .eventLoopGroup(wire.threads().group())
                .executor(wire.executor())
                .offloadExecutor(wire.executor())
                .maxInboundMessageSize(wire.maxInboundMessageSize())
                .maxInboundMetadataSize(MAX_METADATA_SIZE)
                // Disables gRPC's retries, because the engine, or the client of the plugin, decides about retries.
                .disableRetry()
                .disableServiceConfigLookUp()
                .build();
    }

    private NettyChannelBuilder builder(Whom whom) {
        Endpoint endpoint = whom.endpoint();
        @Nullable Path path = endpoint.path().orElse(null);
        if (path != null) {
            return NettyChannelBuilder.forAddress(wire.threads().io().address(path))
                    .channelFactory(() -> {
                        SocketOwner.check(path, endpoint.owner());
                        return wire.threads().io().unix().newChannel();
                    })
                    // Removes the keep-alive option that gRPC sets, because Unix sockets do not have it and Netty would
                    // log a warning.
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        }
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(
                        "dns:///" + endpoint.authority().orElseThrow())
                .channelFactory(wire.threads().io().tcp())
                // Detects a machine that lost its power without closing its connections.
                .keepAliveTime(WireServer.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(WireServer.KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS);
        @Nullable TlsOptions tls = endpoint.tls().orElse(null);
        if (tls == null) {
            return builder.usePlaintext();
        }
        tls.serverName().ifPresent(builder::overrideAuthority);
        return builder.sslContext(wire.identity(tls).clientContext(certificate -> check(whom, certificate)));
    }

    /** Checks that the certificate belongs to the expected peer, because secrets are sent to the peer and its data is trusted. */
    private void check(Whom whom, X509Certificate certificate) throws CertificateException {
        boolean right =
                whom.node().isPresent() ? rules.node(certificate).equals(whom.node()) : rules.isServer(certificate);
        if (!right) {
            throw new UnexpectedPeerException("the certificate of " + PeerIdentity.of(certificate, rules)
                    + " is not that of " + whom + "; see the rules for peers");
        }
    }

    @Override
    public void close() {
        servers.values().forEach(ManagedChannel::shutdownNow);
        agents.values().forEach(agent -> agent.channel.shutdownNow());
    }
}
