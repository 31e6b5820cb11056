package io.csi4j.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections. Nothing is sent before the first call.
 *
 * @param endpoint where to
 * @param transport how
 * @param maxInboundMessageSize the largest answer to accept, in bytes
 * @param executor the caller's executor, or null for threads that clients share
 * @param ticker elapsed time
 */
record Connector(
        Endpoint endpoint,
        Transport transport,
        int maxInboundMessageSize,
        @Nullable Executor executor,
        Ticker ticker) {
    /** An error text beyond gRPC's default of 8 KiB would turn the plugin's code into INTERNAL. */
    private static final int MAX_METADATA_SIZE = 1 << 20;

    Connection open() {
        LogGuard.install();
        IoKind io = IoKind.of(transport);
        SslContext tls = tlsContext();
        Shared.Lease<EventLoopGroup> ioThreads = io.threads();
        Shared.Lease<ExecutorService> callThreads = CallThreads.lease();
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
            @Nullable SslContext tls,
            Shared.Lease<EventLoopGroup> ioThreads,
            Shared.Lease<ExecutorService> callThreads) {
        Executor tasks = callThreads.get();
        Executor calls = executor == null ? tasks : CallThreads.guarded(executor, tasks);
        SocketWatch watch =
                endpoint.path().map(path -> new SocketWatch(path, ticker)).orElse(null);
        AtomicLong connects = new AtomicLong();
        ManagedChannel channel = builder(io, tls, watch, connects)
                .eventLoopGroup(ioThreads.get())
                .executor(calls)
                .offloadExecutor(callThreads.get())
                .maxInboundMessageSize(maxInboundMessageSize)
                .maxInboundMetadataSize(MAX_METADATA_SIZE)
                // A repeat is the caller's decision; a hidden one could run beside the caller's own (R26).
                .disableRetry()
                .disableServiceConfigLookUp()
                .build();
        return new Connection(channel, watch, connects, ioThreads, new Connection.Tasks(callThreads, tasks));
    }

    private NettyChannelBuilder builder(
            IoKind io, @Nullable SslContext tls, @Nullable SocketWatch watch, AtomicLong connects) {
        Path path = endpoint.path().orElse(null);
        if (path != null && watch != null) {
            return NettyChannelBuilder.forAddress(io.address(path))
                    .channelFactory(() -> {
                        watch.connecting();
                        connects.incrementAndGet();
                        return io.unix().newChannel();
                    })
                    // Unix sockets have no such option; gRPC sets it all the same, and Netty warns.
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        }
        HostAndPort host = endpoint.host();
        if (host == null) {
            throw new IllegalStateException("endpoint " + endpoint + " has neither path nor host");
        }
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + host.host() + ":" + host.port())
                .channelFactory(() -> {
                    connects.incrementAndGet();
                    return io.tcp().newChannel();
                });
        if (tls == null) {
            return builder.usePlaintext();
        }
        endpoint.tls().flatMap(TlsOptions::serverName).ifPresent(builder::overrideAuthority);
        return builder.sslContext(tls);
    }

    private @Nullable SslContext tlsContext() {
        TlsOptions tls = endpoint.tls().orElse(null);
        if (tls == null) {
            return null;
        }
        try {
            SslContextBuilder context = GrpcSslContexts.forClient();
            tls.trustedCertificates()
                    .ifPresent(file -> context.trustManager(readable(file).toFile()));
            if (tls.certificateChain().isPresent()) {
                context.keyManager(
                        readable(tls.certificateChain().get()).toFile(),
                        readable(tls.privateKey().orElseThrow()).toFile());
            }
            return context.build();
        } catch (SSLException | IllegalArgumentException unusable) {
            throw new IllegalArgumentException(
                    "tls: the settings for " + endpoint + " cannot be used: " + unusable.getMessage() + " (" + tls
                            + ")",
                    unusable);
        }
    }

    private static Path readable(Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("the file " + file + " does not exist or may not be read");
        }
        return file;
    }
}
