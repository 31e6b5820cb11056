package io.csi4j.client.internal.tls;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.internal.log.CauseLog;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates and the key of TLS options, read again whenever the owner asks. Files that cannot be used are reported to the log, and
 * those read before stay in use. No exception has a cause, because the text of a parser's exception may quote a key. Thread-safe.
 */
public final class ReloadedTls {
    private static final System.Logger LOG = System.getLogger(ReloadedTls.class.getName());

    private final TlsOptions options;
    private final TlsFiles files;
    private final CauseLog causes;

    private ReloadedTls(TlsOptions options, TlsFiles files, Clock clock) {
        this.options = options;
        this.files = files;
        this.causes = new CauseLog(LOG, clock);
    }

    /**
     * Reads the files.
     *
     * @param clock decides when a line of the log is repeated
     * @throws IllegalArgumentException if the files cannot be used
     */
    public static ReloadedTls open(TlsOptions options, Clock clock) {
        try {
            return new ReloadedTls(
                    options,
                    TlsFiles.read(options.trustedCertificates(), options.certificateChain(), options.privateKey()),
                    clock);
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(options, unusable);
        }
    }

    private static IllegalArgumentException unusable(TlsOptions options, Exception cause) {
        String problem = cause instanceof NoSuchFileException missing
                ? unreadable(missing.getFile())
                : cause instanceof AccessDeniedException denied
                        ? unreadable(denied.getFile())
                        : cause.getClass().getSimpleName();
        return new IllegalArgumentException("tls: the files of " + options + " cannot be used (" + problem
                + "); certificates are in PEM form, the key is PKCS#8 in PEM form and not encrypted");
    }

    private static String unreadable(String file) {
        return "the file " + file + " does not exist or may not be read";
    }

    /** Returns the manager that presents the certificate to peers; empty: there is no certificate. */
    public Optional<X509KeyManager> keyManager() {
        return files.keyManager();
    }

    /**
     * Returns a manager that trusts the certificates of the file, or those of the JVM.
     *
     * @param check an additional check of a trusted certificate
     * @throws IllegalArgumentException if the certificates cannot be used
     */
    public X509TrustManager trustManager(Verification verification, TlsFiles.PeerCheck check) {
        try {
            return files.trustManager(verification, check);
        } catch (IOException | GeneralSecurityException unusable) {
            throw unusable(options, unusable);
        }
    }

    /** Reads the files again if one was replaced. */
    public void reload() {
        try {
            files.reload();
            causes.overAll();
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            // Keeps the earlier files, because not all files may have been replaced yet; the next reload reads them
            // again.
            causes.warn(
                    unusable.getClass().getName(),
                    "The certificates of " + options + " cannot be used now ("
                            + unusable.getClass().getSimpleName()
                            + "); those read before stay in force. Put files there that belong together");
        }
    }
}
