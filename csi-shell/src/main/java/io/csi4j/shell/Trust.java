package io.csi4j.shell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** The certificates that the shell trusts. */
final class Trust {
    private Trust() {}

    /**
     * Returns what makes connections with TLS.
     *
     * @param ca a file with certificates in PEM; empty: those of the system
     */
    static SSLSocketFactory of(Optional<Path> ca) {
        if (ca.isEmpty()) {
            return (SSLSocketFactory) SSLSocketFactory.getDefault();
        }
        try (InputStream file = Files.newInputStream(ca.get())) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw new UsageException(ca.get() + " has no certificate in PEM");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException e) {
            throw new UsageException(
                    ca.get() + " cannot be read: " + e.getClass().getSimpleName());
        } catch (GeneralSecurityException e) {
            throw new UsageException(ca.get() + " has no certificate in PEM");
        }
    }
}
