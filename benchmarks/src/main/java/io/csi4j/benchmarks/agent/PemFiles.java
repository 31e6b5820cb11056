package io.csi4j.benchmarks.agent;

import io.csi4j.client.TlsOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** Creates self-signed certificates for this machine with the JDK's keytool. */
final class PemFiles {
    private static final String PASSWORD = "changeit";

    private final Path directory;

    PemFiles(Path directory) {
        this.directory = directory;
    }

    /** Creates a certificate with {@code uri} as its subject alternative name, and adds it to the trusted certificates. */
    void create(String name, String uri) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
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
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        byte[] output = keytool.getInputStream().readAllBytes();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + new String(output, StandardCharsets.UTF_8));
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        write(chain(name), "CERTIFICATE", keys.getCertificate("key").getEncoded());
        write(
                key(name),
                "PRIVATE KEY",
                keys.getKey("key", PASSWORD.toCharArray()).getEncoded());
        String trusted = Files.exists(trusted()) ? Files.readString(trusted()) : "";
        Files.writeString(trusted(), trusted + Files.readString(chain(name)));
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }

    private Path chain(String name) {
        return directory.resolve(name + ".pem");
    }

    private Path key(String name) {
        return directory.resolve(name + ".key");
    }

    private Path trusted() {
        return directory.resolve("trusted.pem");
    }

    TlsOptions tlsOptions(String name) {
        return TlsOptions.builder()
                .trustedCertificates(trusted())
                .certificate(chain(name), key(name))
                .build();
    }
}
