package io.csi4j.client.internal.transport;

import io.csi4j.client.Endpoint;
import io.csi4j.client.Transport;
import io.csi4j.client.internal.socket.IoKind;
import io.csi4j.client.internal.socket.SharedResource;
import io.csi4j.client.internal.tls.ReloadedTls;
import io.csi4j.client.internal.tls.TlsFiles;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Creates connections. A connection sends nothing before its first call.
 *
 * @param endpoint the address of the plugin
 * @param transport the implementation of sockets
 * @param maxInboundMessageSize the largest response to accept, in bytes
 * @param executor the caller's executor; null: the threads that clients share
 * @param elapsed the clock for the checks of the socket file
 * @param clock decides when a line of the log is repeated
 */
public record Connector(
        Endpoint endpoint,
        Transport transport,
        int maxInboundMessageSize,
        @Nullable Executor executor,
        ElapsedTime elapsed,
        Clock clock) {
    public Connection open() {
        IoKind io = IoKind.of(transport);
        ReloadedTls tls =
                endpoint.tls().map(options -> ReloadedTls.open(options, clock)).orElse(null);
        SharedResource.Lease<EventLoopGroup> ioThreads = io.threads();
        SharedResource.Lease<ExecutorService> callThreads = CallThreads.lease();
        try {
            return open(io, tls, ioThreads, callThreads);
        } catch (RuntimeException | Error unopened) {
            ioThreads.close();
            callThreads.close();
            throw unopened;
        }
    }

    private Connection open(
            IoKind io,
            @Nullable ReloadedTls tls,
            SharedResource.Lease<EventLoopGroup> ioThreads,
            SharedResource.Lease<ExecutorService> callThreads) {
        Executor tasks = callThreads.get();
        Executor calls = executor == null ? tasks : CallThreads.guarded(executor, tasks);
        SocketWatch watch =
                endpoint.path().map(path -> new SocketWatch(path, elapsed)).orElse(null);
        AtomicLong connects = new AtomicLong();
        Optional<String> inProcess = endpoint.inProcessName();
        ManagedChannelBuilder<?> builder = inProcess.isPresent()
                ? InProcessChannels.builder(inProcess.get())
                : ChannelSetup.to(
                                endpoint,
                                io,
                                () -> {
                                    connects.incrementAndGet();
                                    prepare(watch, tls);
                                },
                                tls == null ? null : context(tls))
                        .eventLoopGroup(ioThreads.get());
        ManagedChannel channel = ChannelSetup.build(builder, calls, callThreads.get(), maxInboundMessageSize);
        return new Connection(channel, watch, connects, ioThreads.get(), tasks, () -> {
            ioThreads.close();
            callThreads.close();
        });
    }

    private void prepare(@Nullable SocketWatch watch, @Nullable ReloadedTls tls) {
        if (watch != null) {
            watch.connecting();
        }
        if (tls != null) {
            tls.reload();
        }
    }

    private static SslContext context(ReloadedTls tls) {
        try {
            SslContextBuilder context = GrpcSslContexts.forClient()
                    .trustManager(tls.trustManager(
                            Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, TlsFiles.PeerCheck.ANY));
            tls.keyManager().ifPresent(context::keyManager);
            return context.build();
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "tls: no client can be made with it: " + unusable.getMessage(), unusable);
        }
    }
}
