package io.csi4j.client.internal.transport;

import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.client.Transport;
import io.csi4j.client.internal.file.SocketOwner;
import io.csi4j.client.internal.socket.IoKind;
import io.csi4j.client.internal.socket.SharedResource;
import io.csi4j.client.internal.tls.TlsFiles;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Creates connections. A connection sends nothing before its first call.
 *
 * @param endpoint the address of the plugin
 * @param transport the implementation of sockets
 * @param maxInboundMessageSize the largest response to accept, in bytes
 * @param executor the caller's executor; null: the threads that clients share
 * @param elapsed the clock for the checks of the socket file
 */
public record Connector(
        Endpoint endpoint,
        Transport transport,
        int maxInboundMessageSize,
        @Nullable Executor executor,
        ElapsedTime elapsed) {
    private static final System.Logger LOG = System.getLogger(Connector.class.getName());

    /**
     * The limit for error texts, in bytes. With gRPC's default of 8 KiB, a longer error text of a plugin would change its status code to
     * INTERNAL.
     */
    private static final int MAX_METADATA_SIZE = 1 << 20;

    public Connection open() {
        IoKind io = IoKind.of(transport);
        TlsFiles tls = tlsFiles();
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
            @Nullable TlsFiles tls,
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
                : builder(io, tls, watch, connects).eventLoopGroup(ioThreads.get());
        ManagedChannel channel = builder.executor(calls)
                .offloadExecutor(callThreads.get())
                .maxInboundMessageSize(maxInboundMessageSize)
                .maxInboundMetadataSize(MAX_METADATA_SIZE)
                // Disables gRPC's own retries, because they could run at the same time as a retry of the caller (R26).
                .disableRetry()
                .disableServiceConfigLookUp()
                .build();
        return new Connection(channel, watch, connects, ioThreads, new Connection.Tasks(callThreads, tasks));
    }

    private NettyChannelBuilder builder(
            IoKind io, @Nullable TlsFiles tls, @Nullable SocketWatch watch, AtomicLong connects) {
        Path path = endpoint.path().orElse(null);
        if (path != null && watch != null) {
            return NettyChannelBuilder.forAddress(io.address(path))
                    .channelFactory(() -> {
                        watch.connecting();
                        connects.incrementAndGet();
                        SocketOwner.check(path, endpoint.owner());
                        return io.unix().newChannel();
                    })
                    // Removes the keep-alive option that gRPC sets, because Unix sockets do not have it and Netty would
                    // log a warning.
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        }
        String authority = endpoint.authority()
                .orElseThrow(() -> new IllegalStateException("endpoint " + endpoint + " has neither path nor host"));
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + authority)
                .channelFactory(() -> {
                    connects.incrementAndGet();
                    if (tls != null) {
                        reload(tls);
                    }
                    return io.tcp().newChannel();
                });
        if (tls == null) {
            return builder.usePlaintext();
        }
        endpoint.tls().flatMap(TlsOptions::serverName).ifPresent(builder::overrideAuthority);
        return builder.sslContext(context(tls));
    }

    /** Returns the files of the TLS options; null if the connection does not use TLS. */
    private @Nullable TlsFiles tlsFiles() {
        TlsOptions tls = endpoint.tls().orElse(null);
        if (tls == null) {
            return null;
        }
        try {
            return TlsFiles.read(tls.trustedCertificates(), tls.certificateChain(), tls.privateKey());
        } catch (NoSuchFileException | AccessDeniedException unreadable) {
            throw unusable(tls, "the file " + unreadable.getFile() + " does not exist or may not be read");
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(tls, unusable.getClass().getSimpleName());
        }
    }

    private SslContext context(TlsFiles files) {
        try {
            SslContextBuilder context = GrpcSslContexts.forClient()
                    .trustManager(files.trustManager(
                            Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, TlsFiles.PeerCheck.ANY));
            files.keyManager().ifPresent(context::keyManager);
            return context.build();
        } catch (IOException | GeneralSecurityException unusable) {
            throw unusable(endpoint.tls().orElseThrow(), unusable.getClass().getSimpleName());
        }
    }

    /**
     * Returns the exception for unusable TLS options. It has no cause, because the text of a parser's exception may quote the content of a
     * key file.
     */
    private IllegalArgumentException unusable(TlsOptions tls, String problem) {
        return new IllegalArgumentException("tls: the settings for " + endpoint + " cannot be used: " + problem + " ("
                + tls + "); certificates are in PEM form, the key is PKCS#8 in PEM form and not encrypted");
    }

    /** Reloads the TLS files. If the reload fails, the handshake uses the content that was read before. */
    private void reload(TlsFiles files) {
        try {
            files.reload();
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            LOG.log(
                    Level.WARNING,
                    "The certificates for {0} cannot be used now ({1}); those read before stay in force",
                    endpoint,
                    unusable.getClass().getSimpleName());
        }
    }
}
