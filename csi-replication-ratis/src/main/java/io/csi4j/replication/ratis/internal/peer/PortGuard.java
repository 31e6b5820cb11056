package io.csi4j.replication.ratis.internal.peer;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.apache.ratis.thirdparty.io.netty.channel.epoll.Epoll;
import org.apache.ratis.thirdparty.io.netty.channel.epoll.EpollServerSocketChannel;
import org.apache.ratis.thirdparty.io.netty.channel.socket.nio.NioServerSocketChannel;

/**
 * Limits the port of a peer to the traffic between peers. Ratis also offers its services for clients and administrators
 * there, which could put any bytes into the log, remove it, or change the peers; this guard refuses them for every caller.
 */
final class PortGuard implements GrpcServices.Customizer, ServerInterceptor {
    private static final Set<String> SERVICES = Set.of(RaftServerProtocolServiceGrpc.SERVICE_NAME, PeerService.NAME);
    /** The calls in flight on one connection; more of them wait in the client, as HTTP/2 asks. */
    private static final int MAX_CALLS = 10_000;
    /** The calls that a connection may reset in {@value #RESET_SECONDS} seconds; a client that resets more is disconnected. */
    private static final int MAX_RESETS = 1_000;

    private static final int RESET_SECONDS = 10;

    private final LogGate gate;
    private final CompletableFuture<OwnLog> log = new CompletableFuture<>();

    /** Creates a guard for one port. */
    PortGuard(LogGate gate) {
        this.gate = gate;
    }

    /** Sets the log to which the other peers pass requests. */
    void serve(OwnLog own) {
        log.complete(own);
    }

    @Override
    public NettyServerBuilder customize(NettyServerBuilder builder, EnumSet<GrpcServices.Type> types) {
        return builder.channelFactory(
                        gate.before(Epoll.isAvailable() ? EpollServerSocketChannel::new : NioServerSocketChannel::new))
                .maxConcurrentCallsPerConnection(MAX_CALLS)
                .maxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
                .addService(PeerService.of(log::join))
                .intercept(this);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String service = call.getMethodDescriptor().getServiceName();
        if (service != null && SERVICES.contains(service)) {
            return next.startCall(call, headers);
        }
        call.close(
                Status.PERMISSION_DENIED.withDescription("This port is for the peers of the log only; use the server"),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
