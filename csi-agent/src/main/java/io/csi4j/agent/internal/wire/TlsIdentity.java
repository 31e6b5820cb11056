package io.csi4j.agent.internal.wire;

import io.csi4j.client.TlsOptions;
import io.csi4j.client.internal.tls.ReloadedTls;
import io.csi4j.client.internal.tls.TlsFiles;
import io.csi4j.core.spi.Cancellable;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of servers and agents, reloaded every few seconds. A new connection uses the files that were read last; unusable files
 * are ignored.
 */
public final class TlsIdentity implements AutoCloseable {
    /** The interval at which the certificate files are read again. */
    public static final Duration RELOAD = Duration.ofSeconds(5);

    private final TlsOptions options;
    private final ReloadedTls files;
    private final WireContext wire;
    private volatile @Nullable Cancellable next;
    private volatile boolean closed;

    private TlsIdentity(TlsOptions options, ReloadedTls files, WireContext wire) {
        this.options = options;
        this.files = files;
        this.wire = wire;
    }

    public static TlsIdentity open(TlsOptions options, WireContext wire) {
        require(options, "trustedCertificates", options.trustedCertificates());
        require(options, "certificate", options.certificateChain());
        TlsIdentity identity = new TlsIdentity(options, ReloadedTls.open(options, wire.clock()), wire);
        identity.scheduleReload();
        return identity;
    }

    private static void require(TlsOptions options, String field, Optional<?> file) {
        if (file.isEmpty()) {
            throw new IllegalArgumentException("tls: " + field + " is not set in " + options
                    + "; servers and agents show each other certificates of one authority, so name trustedCertificates"
                    + " and certificate");
        }
    }

    /** Returns the TLS context of a server: clients have to present a trusted certificate, whose owner is checked in each call. */
    public SslContext serverContext() {
        try {
            return GrpcSslContexts.configure(
                            SslContextBuilder.forServer(files.keyManager().orElseThrow()))
                    .trustManager(trustManager(
                            Verification.CERTIFICATE_ONLY_VERIFICATION, TlsFiles.PeerCheck.ANY, this::refused))
                    .clientAuth(ClientAuth.REQUIRE)
                    .build();
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "tls: no server can be made with it: " + unusable.getMessage(), unusable);
        }
    }

    /**
     * Returns the TLS context of a client: the certificate of the server has to match the host name, and has to belong to the expected
     * peer.
     */
    public SslContext clientContext(TlsFiles.PeerCheck check) {
        try {
            return GrpcSslContexts.forClient()
                    .keyManager(files.keyManager().orElseThrow())
                    .trustManager(
                            trustManager(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, check, refusal -> {}))
                    .build();
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "tls: no client can be made with it: " + unusable.getMessage(), unusable);
        }
    }

    /** A peer that connects has shown a certificate that is not trusted. Only the log can say so, because it is unknown. */
    private void refused(String why) {
        wire.causes()
                .warn(
                        "untrusted " + why,
                        "A peer that connects is refused for its certificate: " + why
                                + ". Give it a certificate of that authority, or add its authority to the trusted ones");
    }

    /** Returns a trust manager; {@code refused} gets the explanation of each refusal. */
    private X509TrustManager trustManager(
            Verification verification, TlsFiles.PeerCheck check, Consumer<String> refused) {
        X509TrustManager manager = files.trustManager(verification, check);
        return manager instanceof X509ExtendedTrustManager decides
                ? new ExplainedTrust(
                        decides, String.valueOf(options.trustedCertificates().orElseThrow()), refused)
                : manager;
    }

    private void scheduleReload() {
        if (!closed && !wire.isClosed()) {
            next = wire.timer().schedule(RELOAD, () -> wire.executor().execute(this::reload));
        }
        if (closed) {
            close();
        }
    }

    private void reload() {
        files.reload();
        scheduleReload();
    }

    @Override
    public void close() {
        closed = true;
        Cancellable planned = next;
        if (planned != null) {
            planned.cancel();
        }
    }
}
