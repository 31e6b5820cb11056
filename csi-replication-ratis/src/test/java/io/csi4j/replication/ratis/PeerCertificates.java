package io.csi4j.replication.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.TlsOptions;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Self-signed certificates as PEM files, made with the tool of the JDK. */
final class PeerCertificates {
    private static final String PASSWORD = "changeit";

    private PeerCertificates() {}

    /** Makes the certificate of a server on this machine, which trusts itself only. */
    static TlsOptions make(Path directory, String name) throws Exception {
        return make(directory, name, "csi4j://server");
    }

    /** Makes a certificate for this machine with a name of the kind URI. It trusts itself only. */
    static TlsOptions make(Path directory, String name, String uri) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        "key",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1,uri:" + uri,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Path chain = directory.resolve(name + ".pem");
        Path key = directory.resolve(name + ".key");
        write(chain, "CERTIFICATE", keys.getCertificate("key").getEncoded());
        write(key, "PRIVATE KEY", keys.getKey("key", PASSWORD.toCharArray()).getEncoded());
        return TlsOptions.builder()
                .trustedCertificates(chain)
                .certificate(chain, key)
                .build();
    }

    /** Returns the same certificate, which trusts the other one, too. */
    static TlsOptions trusting(TlsOptions own, TlsOptions other) throws Exception {
        Path chain = own.certificateChain().orElseThrow();
        Path both = chain.resolveSibling("both-" + chain.getFileName());
        Files.writeString(
                both,
                Files.readString(chain)
                        + Files.readString(other.certificateChain().orElseThrow()));
        return presenting(own, TlsOptions.builder().trustedCertificates(both).build());
    }

    /** Returns options that present the certificate of one, and trust the same as the other. */
    static TlsOptions presenting(TlsOptions own, TlsOptions other) {
        return TlsOptions.builder()
                .trustedCertificates(other.trustedCertificates().orElseThrow())
                .certificate(
                        own.certificateChain().orElseThrow(), own.privateKey().orElseThrow())
                .build();
    }

    private static void write(Path file, String kind, byte[] content) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n",
                StandardCharsets.US_ASCII);
    }
}
