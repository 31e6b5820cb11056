package io.csi4j.client.internal.tls;

import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.grpc.util.CertificateUtils;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * Files with certificates and a key, which may be replaced while connections use them. New connections use the content
 * of the last successful {@link #reload}. This class reads the files itself, because the managers of gRPC that read
 * files miss a new certificate for the same key, and do not check that the key belongs to the certificate. Thread-safe.
 */
public final class TlsFiles {
    private final Optional<Path> trusted;
    private final Optional<Path> chain;
    private final Optional<Path> key;
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
    // The following fields are guarded by this object's lock.
    /**
     * The trust managers that a reload changes. The references are weak, because each manager belongs to a connection that may be dropped.
     */
    private final List<WeakReference<AdvancedTlsX509TrustManager>> trustManagers = new ArrayList<>();

    private X509Certificate[] authorities = new X509Certificate[0];
    private List<Object> fingerprints = List.of();

    private TlsFiles(Optional<Path> trusted, Optional<Path> chain, Optional<Path> key) {
        this.trusted = trusted;
        this.chain = chain;
        this.key = key;
    }

    /**
     * Reads the files.
     *
     * @param trusted the trusted certificates; empty: those of the JVM
     * @param chain the certificate to present to peers, with its chain; empty: none
     * @param key the private key of that certificate
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if a file has no certificates or no key, or the key belongs to another certificate
     */
    public static TlsFiles read(Optional<Path> trusted, Optional<Path> chain, Optional<Path> key)
            throws IOException, GeneralSecurityException {
        TlsFiles files = new TlsFiles(trusted, chain, key);
        files.reload();
        return files;
    }

    /**
     * Reads the files again if one was replaced. All files are read and checked before any is used, so that a half finished replacement of
     * the files changes nothing.
     *
     * @throws IOException if a file cannot be read; the earlier content stays in use
     * @throws GeneralSecurityException if a file cannot be used; the earlier content stays in use
     */
    public synchronized void reload() throws IOException, GeneralSecurityException {
        trustManagers.removeIf(each -> each.get() == null);
        List<Object> now = fingerprints();
        if (now.equals(fingerprints)) {
            return;
        }
        X509Certificate[] others = trusted.isPresent() ? certificates(trusted.get()) : new X509Certificate[0];
        if (chain.isPresent() && key.isPresent()) {
            X509Certificate[] own = certificates(chain.get());
            PrivateKey secret;
            try (InputStream in = Files.newInputStream(key.get())) {
                secret = CertificateUtils.getPrivateKey(in);
            }
            checkPair(own[0], secret);
            keys.updateIdentityCredentials(own, secret);
        }
        authorities = others;
        for (WeakReference<AdvancedTlsX509TrustManager> each : trustManagers) {
            AdvancedTlsX509TrustManager manager = each.get();
            if (manager != null) {
                update(manager);
            }
        }
        fingerprints = now;
    }

    /** Returns the manager that presents the certificate to peers; empty: there is no certificate. */
    public Optional<X509KeyManager> keyManager() {
        return chain.map(named -> keys);
    }

    /**
     * Returns a manager that trusts the certificates of the file, or those of the JVM.
     *
     * @param verification the checks of the chain and the host name
     * @param check an additional check of a trusted certificate
     * @throws GeneralSecurityException if the certificates cannot be used
     * @throws IOException if the certificates of the JVM cannot be read
     */
    public synchronized X509TrustManager trustManager(Verification verification, PeerCheck check)
            throws IOException, GeneralSecurityException {
        AdvancedTlsX509TrustManager manager = AdvancedTlsX509TrustManager.newBuilder()
                .setVerification(verification)
                .setSslSocketAndEnginePeerVerifier(new Verifier(check))
                .build();
        update(manager);
        trustManagers.add(new WeakReference<>(manager));
        return manager;
    }

    private void update(AdvancedTlsX509TrustManager manager) throws IOException, GeneralSecurityException {
        if (trusted.isPresent()) {
            manager.updateTrustCredentials(authorities);
        } else {
            manager.useSystemDefaultTrustCerts();
        }
    }

    private static X509Certificate[] certificates(Path file) throws IOException, CertificateException {
        try (InputStream in = Files.newInputStream(file)) {
            X509Certificate[] found = CertificateUtils.getX509Certificates(in);
            if (found.length == 0) {
                throw new CertificateException("there is no certificate in " + file);
            }
            return found;
        }
    }

    /**
     * Checks that the private key belongs to the certificate: signs a text with the key and verifies the signature with the certificate.
     */
    private static void checkPair(X509Certificate certificate, PrivateKey secret) throws GeneralSecurityException {
        byte[] sample = certificate.getSerialNumber().toByteArray();
        Signature signature =
                Signature.getInstance(secret.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
        signature.initSign(secret);
        signature.update(sample);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(sample);
        if (!signature.verify(signed)) {
            throw new CertificateException("the key belongs to another certificate");
        }
    }

    /**
     * Returns values that change when a file is replaced: its time, size and key. For a symbolic link, they are those
     * of the target, because certificates are often replaced by changing the target of a link.
     */
    private List<Object> fingerprints() throws IOException {
        List<Object> marks = new ArrayList<>();
        for (Path file :
                Stream.of(trusted, chain, key).flatMap(Optional::stream).toList()) {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            marks.add(attributes.lastModifiedTime());
            marks.add(attributes.size());
            marks.add(String.valueOf(attributes.fileKey()));
        }
        return marks;
    }

    /** Checks that a trusted certificate belongs to the expected peer. */
    @FunctionalInterface
    public interface PeerCheck {
        /** Accepts every trusted certificate. */
        PeerCheck ANY = certificate -> {};

        /**
         * Checks one certificate.
         *
         * @param certificate the peer's certificate; its chain is trusted
         * @throws CertificateException if it belongs to another peer
         */
        void check(X509Certificate certificate) throws CertificateException;
    }

    private record Verifier(PeerCheck check) implements SslSocketAndEnginePeerVerifier {
        @Override
        public void verifyPeerCertificate(X509Certificate[] peers, String authType, Socket socket)
                throws CertificateException {
            check.check(peers[0]);
        }

        @Override
        public void verifyPeerCertificate(X509Certificate[] peers, String authType, SSLEngine engine)
                throws CertificateException {
            check.check(peers[0]);
        }
    }
}
