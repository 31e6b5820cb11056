package io.csi4j.client.internal.transport;

import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.client.Transport;
import io.csi4j.client.internal.socket.IoKind;
import io.csi4j.client.internal.socket.SharedResource;
import io.csi4j.client.internal.tls.TlsFiles;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
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

    private void prepare(@Nullable SocketWatch watch, @Nullable TlsFiles tls) {
        if (watch != null) {
            watch.connecting();
        }
        if (tls != null) {
            reload(tls);
        }
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
