package io.csi4j.agent;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.spi.Cancellable;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Who we are on a network and whom we trust: files that are looked at again and again. What was in them at the last
 * look when a connection is made counts for that connection. Files that cannot be used change nothing, nor does a
 * certificate that is there before its key: they are exchanged one by one.
 */
final class TlsIdentity implements AutoCloseable {
    /** Certificates are exchanged long before they end. */
    static final Duration LOOK = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger(TlsIdentity.class.getName());

    private final Path trusted;
    private final Path chain;
    private final Path key;
    private final WireCommons wire;
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
    /** Of connections; those that were given up are forgotten with them. */
    private final List<WeakReference<AdvancedTlsX509TrustManager>> trust = new CopyOnWriteArrayList<>();
    /** Guarded by {@link #trust}. */
    private X509Certificate[] authorities = new X509Certificate[0];
    // From here on one look at a time.
    private List<Object> seen = List.of();
    private volatile @Nullable Cancellable next;
    private volatile boolean closed;

    private TlsIdentity(Path trusted, Path chain, Path key, WireCommons wire) {
        this.trusted = trusted;
        this.chain = chain;
        this.key = key;
        this.wire = wire;
    }

    static TlsIdentity open(TlsOptions options, WireCommons wire) {
        TlsIdentity identity = new TlsIdentity(
                required(options, "trustedCertificates", options.trustedCertificates()),
                required(options, "clientCertificate", options.certificateChain()),
                required(options, "clientCertificate", options.privateKey()),
                wire);
        try {
            identity.seen = identity.look();
            identity.read();
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            throw unusable(options, unusable);
        }
        identity.again();
        return identity;
    }

    private static Path required(TlsOptions options, String field, java.util.Optional<Path> file) {
        return file.orElseThrow(() -> new IllegalArgumentException("tls: " + field + " is not set in " + options
                + "; servers and agents show each other certificates of one authority, so name trustedCertificates"
                + " and clientCertificate"));
    }

    private static IllegalArgumentException unusable(TlsOptions options, Exception cause) {
        // Without the cause: a parser may repeat what it could not read, and that may be a key.
        return new IllegalArgumentException("tls: the files of " + options + " cannot be used ("
                + cause.getClass().getSimpleName()
                + "); certificates are in PEM form, the key is PKCS#8 in PEM form and not encrypted");
    }

    /** For those who call us: they have to show a certificate; whose it is, is looked at later. */
    SslContext serverContext() {
        try {
            return GrpcSslContexts.configure(SslContextBuilder.forServer(keys))
                    .trustManager(trusting(Verification.CERTIFICATE_ONLY_VERIFICATION, new AnyOfThem()))
                    .clientAuth(ClientAuth.REQUIRE)
                    .build();
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "tls: no server can be made with it: " + unusable.getMessage(), unusable);
        }
    }

    /** For those whom we call: besides the name of the host, the certificate has to be of whom we mean. */
    SslContext clientContext(PeerCheck check) {
        try {
            return GrpcSslContexts.forClient()
                    .keyManager(keys)
                    .trustManager(trusting(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, new OnlyThatOne(check)))
                    .build();
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "tls: no client can be made with it: " + unusable.getMessage(), unusable);
        }
    }

    private AdvancedTlsX509TrustManager trusting(Verification verification, SslSocketAndEnginePeerVerifier verifier) {
        try {
            AdvancedTlsX509TrustManager manager = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(verification)
                    .setSslSocketAndEnginePeerVerifier(verifier)
                    .build();
            synchronized (trust) {
                manager.updateTrustCredentials(authorities);
                trust.add(new WeakReference<>(manager));
            }
            return manager;
        } catch (IOException | GeneralSecurityException unusable) {
            throw new IllegalArgumentException("tls: trustedCertificates " + trusted + " cannot be used ("
                    + unusable.getClass().getSimpleName() + "); name a file with certificates in PEM form");
        }
    }

    private void again() {
        if (!closed && !wire.isClosed()) {
            next = wire.timer().schedule(LOOK, () -> wire.executor().execute(this::lookAgain));
        }
        if (closed) {
            close();
        }
    }

    private void lookAgain() {
        try {
            trust.removeIf(each -> each.get() == null);
            List<Object> now = look();
            if (!now.equals(seen) && !closed) {
                read();
                seen = now;
            }
        } catch (IOException | GeneralSecurityException | RuntimeException unusable) {
            // Perhaps they are being written just now; the next look will tell.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the certificates in " + chain + ", " + key + " and " + trusted + " cannot be used now ("
                            + unusable.getClass().getSimpleName() + "); those read before stay in force");
        }
        again();
    }

    /** All of it, before any of it counts. */
    private void read() throws IOException, GeneralSecurityException {
        X509Certificate[] own = certificates(chain);
        X509Certificate[] others = certificates(trusted);
        PrivateKey secret;
        try (InputStream in = Files.newInputStream(key)) {
            secret = CertificateUtils.getPrivateKey(in);
        }
        mustFit(own[0], secret);
        keys.updateIdentityCredentials(own, secret);
        synchronized (trust) {
            authorities = others;
            for (WeakReference<AdvancedTlsX509TrustManager> each : trust) {
                AdvancedTlsX509TrustManager manager = each.get();
                if (manager != null) {
                    manager.updateTrustCredentials(others);
                }
            }
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

    /** Who has signed something with the key is known by the certificate. */
    private static void mustFit(X509Certificate certificate, PrivateKey secret) throws GeneralSecurityException {
        byte[] something = certificate.getSerialNumber().toByteArray();
        Signature signature =
                Signature.getInstance(secret.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
        signature.initSign(secret);
        signature.update(something);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(something);
        if (!signature.verify(signed)) {
            throw new CertificateException("the certificate is not that of the key");
        }
    }

    /** What tells files from others; links are followed, because certificates are often exchanged by moving one. */
    private List<Object> look() throws IOException {
        List<Object> marks = new ArrayList<>();
        for (Path file : List.of(trusted, chain, key)) {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            marks.add(attributes.lastModifiedTime());
            marks.add(attributes.size());
            marks.add(String.valueOf(attributes.fileKey()));
        }
        return marks;
    }

    @Override
    public void close() {
        closed = true;
        Cancellable planned = next;
        if (planned != null) {
            planned.cancel();
        }
    }

    /** Says whether a certificate that is trusted is of whom we mean. */
    @FunctionalInterface
    interface PeerCheck {
        void check(X509Certificate certificate) throws CertificateException;
    }

    private static final class AnyOfThem implements SslSocketAndEnginePeerVerifier {
        @Override
        public void verifyPeerCertificate(X509Certificate[] peers, String authType, Socket socket) {
            // The chain was looked at.
        }

        @Override
        public void verifyPeerCertificate(X509Certificate[] peers, String authType, SSLEngine engine) {
            // The chain was looked at.
        }
    }

    private record OnlyThatOne(PeerCheck check) implements SslSocketAndEnginePeerVerifier {
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
