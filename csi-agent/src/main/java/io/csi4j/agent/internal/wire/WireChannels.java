package io.csi4j.agent.internal.wire;

import com.google.protobuf.Message;
import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.call.CallTrace;
import io.csi4j.client.internal.call.UnaryCall;
import io.csi4j.client.internal.transport.ChannelSetup;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.core.id.NodeId;
import io.csi4j.node.internal.codec.AgentLimits;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The connections to servers and agents. Each server and each agent has one connection, which is opened at the first call. */
public final class WireChannels implements AutoCloseable {
    private final WireContext wire;
    private final PeerRules rules;
    private final ConcurrentMap<Endpoint, Connection> servers = new ConcurrentHashMap<>();
    /** The connections to agents; there is one for each node, because its agent has one address. */
    private final ConcurrentMap<NodeId, Opened> agents = new ConcurrentHashMap<>();

    public WireChannels(WireContext wire, PeerRules rules) {
        this.wire = wire;
        this.rules = rules;
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

    private record Opened(Endpoint endpoint, Connection connection) {}

    /**
     * Returns the connection for a new call. A connection to another address of the same node's agent is closed; its calls in flight end
     * by themselves.
     *
     * @throws WireException if this object is closed
     * @throws IllegalArgumentException if the endpoint's certificates cannot be used
     */
    private Connection to(Whom whom) {
        if (wire.isClosed()) {
            throw WireException.closed();
        }
        Connection connection = whom.node().isPresent()
                ? agent(whom.node().get(), whom)
                : servers.computeIfAbsent(whom.endpoint(), endpoint -> open(whom));
        if (wire.isClosed()) {
            connection.abort();
        }
        return connection;
    }

    private Connection agent(NodeId node, Whom whom) {
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
        given.forEach(old -> old.connection.retire());
        return opened.connection;
    }

    /**
     * Sends a request and receives its response. The request is sent once more only if its connection was closed before it was written,
     * because the peer has then not received it. Cancelling the returned future cancels the call. The future fails with a {@link
     * WireException} if there is no response, and if {@link #to} throws.
     */
    public <Q, A> CompletableFuture<A> call(Whom whom, MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        try {
            PeerCall<Q, A> call = new PeerCall<>(to(whom), method, request, deadline, wire.executor());
            call.begin();
            return call.answer;
        } catch (RuntimeException unsent) {
            return CompletableFuture.failedFuture(unsent);
        }
    }

    /** A call to an agent or a server. */
    private static final class PeerCall<Q, A> extends UnaryCall<Q, A> {
        private final CompletableFuture<A> answer = new CompletableFuture<>();
        private final Duration deadline;
        /** Completes the future of the response, whose callbacks may block and so must not run on a network thread. */
        private final Executor executor;

        PeerCall(
                Connection connection, MethodDescriptor<Q, A> method, Q request, Duration deadline, Executor executor) {
            super(
                    connection,
                    method,
                    request,
                    // Runs the listener on the network thread, because it never blocks; only the future is completed on
                    // another thread.
                    CallOptions.DEFAULT
                            .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS)
                            .withExecutor(Runnable::run));
            this.deadline = deadline;
            this.executor = executor;
            var unused = answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    cancel();
                }
            });
        }

        @Override
        protected void answered(A message) {
            Optional<String> problem =
                    message instanceof Message received ? AgentLimits.problem(received) : Optional.empty();
            problem.ifPresentOrElse(
                    beyond -> broken(WireException.unusable(beyond)),
                    () -> executor.execute(() -> answer.complete(message)));
        }

        @Override
        protected void failed(Status status, CallTrace trace) {
            broken(WireException.of(status, trace, deadline));
        }

        @Override
        protected void unusable(String problem) {
            broken(WireException.noAnswer(problem));
        }

        @Override
        protected void broken(Throwable fault) {
            executor.execute(() -> answer.completeExceptionally(fault));
        }
    }

    /** Closes the direct connection to the agent of a node; its calls in flight end by themselves. */
    public void forget(NodeId node) {
        Opened old = agents.remove(node);
        if (old != null) {
            old.connection.retire();
        }
    }

    private Connection open(Whom whom) {
        Endpoint endpoint = whom.endpoint();
        SslContext tls = endpoint.tls()
                .map(options -> wire.identity(options).clientContext(certificate -> check(whom, certificate)))
                .orElse(null);
        AtomicLong connects = new AtomicLong();
        NettyChannelBuilder builder = ChannelSetup.to(endpoint, wire.threads().io(), connects::incrementAndGet, tls)
                .eventLoopGroup(wire.threads().group());
        if (endpoint.path().isEmpty()) {
            // Detects a machine that lost its power without closing its connections.
            builder.keepAliveTime(WireServer.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                    .keepAliveTimeout(WireServer.KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS);
        }
        ManagedChannel channel =
                ChannelSetup.build(builder, wire.executor(), wire.executor(), wire.maxInboundMessageSize());
        // The context holds the threads until all its connections are closed.
        return new Connection(channel, null, connects, wire.threads().group(), wire.executor(), () -> {});
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
        servers.values().forEach(Connection::abort);
        agents.values().forEach(agent -> agent.connection.abort());
    }
}
