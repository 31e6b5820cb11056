package io.csi4j.ratis.internal.peer;

import io.csi4j.client.TlsOptions;
import io.csi4j.client.internal.tls.TlsFiles;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Environment;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.grpc.GrpcTlsConfig;

/** The certificates of a peer, reloaded every few seconds. New connections use the last files that could be read. */
final class PeerTls implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeerTls.class.getName());
    private static final Duration RELOAD = Duration.ofSeconds(5);

    private final TlsOptions options;
    private final TlsFiles files;
    private final Environment environment;
    private final CauseLog causes;
    private volatile boolean closed;

    private PeerTls(TlsOptions options, TlsFiles files, Environment environment) {
        this.options = options;
        this.files = files;
        this.environment = environment;
        this.causes = new CauseLog(LOG, environment.clock());
    }

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if they cannot be used
     */
    static PeerTls open(TlsOptions options, Environment environment) {
        try {
            TlsFiles files =
                    TlsFiles.read(options.trustedCertificates(), options.certificateChain(), options.privateKey());
            PeerTls tls = new PeerTls(options, files, environment);
            tls.reloadLater();
            return tls;
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(options, unusable);
        }
    }

    /**
     * Creates the exception for unusable files. It does not have the cause, because a parser's message may quote a key.
     */
    private static IllegalArgumentException unusable(TlsOptions options, Exception cause) {
        return new IllegalArgumentException("tls: the files of " + options + " cannot be used ("
                + cause.getClass().getSimpleName()
                + "); certificates are in PEM form, the key is PKCS#8 in PEM form and not encrypted");
    }

    /**
     * Returns the TLS settings of Ratis. Both sides present a trusted certificate, and the server's certificate must
     * name its host.
     */
    GrpcTlsConfig config() {
        try {
            return new GrpcTlsConfig(
                    files.keyManager().orElseThrow(),
                    files.trustManager(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, TlsFiles.PeerCheck.ANY),
                    true);
        } catch (IOException | GeneralSecurityException unusable) {
            throw unusable(options, unusable);
        }
    }

    private void reloadLater() {
        if (closed) {
            return;
        }
        try {
            environment.timer().schedule(RELOAD, () -> environment.executor().execute(this::reload));
        } catch (RejectedExecutionException environmentClosed) {
            closed = true;
        }
    }

    private void reload() {
        try {
            files.reload();
            causes.overAll();
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            causes.warn(
                    unusable.getClass().getName(),
                    "The certificates of " + options + " cannot be used now ("
                            + unusable.getClass().getSimpleName()
                            + "); those read before stay in force. Put files there that belong together");
        }
        reloadLater();
    }

    @Override
    public void close() {
        closed = true;
    }
}
