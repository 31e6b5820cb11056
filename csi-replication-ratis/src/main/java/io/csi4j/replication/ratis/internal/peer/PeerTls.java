package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.client.TlsOptions;
import io.csi4j.client.internal.tls.ReloadedTls;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Environment;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.grpc.GrpcTlsConfig;

/** The certificates of a peer, reloaded every few seconds. New connections use the last files that could be read. */
final class PeerTls implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeerTls.class.getName());
    private static final int LONGEST_NAME = 200;
    private static final Duration RELOAD = Duration.ofSeconds(5);

    private final ReloadedTls files;
    private final PeerRules rules;
    private final Environment environment;
    private final CauseLog causes;
    private volatile boolean closed;

    private PeerTls(ReloadedTls files, PeerRules rules, Environment environment) {
        this.files = files;
        this.rules = rules;
        this.environment = environment;
        this.causes = new CauseLog(LOG, environment.clock());
    }

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if they cannot be used
     */
    static PeerTls open(TlsOptions options, PeerRules rules, Environment environment) {
        PeerTls tls = new PeerTls(ReloadedTls.open(options, environment.clock()), rules, environment);
        tls.reloadLater();
        return tls;
    }

    /**
     * Returns the TLS settings of Ratis. Both sides present a trusted certificate of a server, and the certificate of
     * the side that listens must name its host.
     */
    GrpcTlsConfig config() {
        return new GrpcTlsConfig(
                files.keyManager().orElseThrow(),
                files.trustManager(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, this::checkServer),
                true);
    }

    /** Refuses a trusted certificate of anybody else, for example of a node. */
    private void checkServer(X509Certificate certificate) throws CertificateException {
        if (!rules.isServer(certificate)) {
            String subject = certificate.getSubjectX500Principal().getName();
            String shown = subject.substring(0, Math.min(LONGEST_NAME, subject.length()));
            causes.warn(
                    "no server " + shown,
                    "A connection to or from another peer of the log is refused: the certificate of " + shown
                            + " is not that of a server. Only servers may write to the log");
            throw new CertificateException("the certificate of " + shown + " is not that of a server");
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
        files.reload();
        reloadLater();
    }

    @Override
    public void close() {
        closed = true;
    }
}
