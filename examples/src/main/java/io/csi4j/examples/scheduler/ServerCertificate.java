package io.csi4j.examples.scheduler;

import io.csi4j.client.TlsOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * The certificate with which the servers of this machine prove to each other that they are servers, so that no other user
 * of the machine can write to their log. It signs itself, and all servers share it. Between machines, give each server a
 * certificate of its own, from an authority.
 */
record ServerCertificate(Path directory) {
    private static final String PASSWORD = "only-in-a-private-directory";

    TlsOptions tls() {
        return TlsOptions.builder()
                .trustedCertificates(chain())
                .certificate(chain(), key())
                .build();
    }

    private Path chain() {
        return directory.resolve("servers.pem");
    }

    private Path key() {
        return directory.resolve("servers.key");
    }

    /** Makes the certificate with the tool of the JDK, if there is none yet. */
    void make() throws IOException {
        if (Files.exists(chain())) {
            return;
        }
        Path store = directory.resolve("servers.p12");
        Files.deleteIfExists(store);
        keytool(store);
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore made = KeyStore.getInstance("PKCS12");
            made.load(in, PASSWORD.toCharArray());
            Files.deleteIfExists(key());
            Files.createFile(key(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            write(
                    key(),
                    "PRIVATE KEY",
                    made.getKey("key", PASSWORD.toCharArray()).getEncoded());
            write(chain(), "CERTIFICATE", made.getCertificate("key").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException(store + " cannot be read", e);
        }
        Files.delete(store);
    }

    private static void keytool(Path store) throws IOException {
        String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(List.of(
                        tool,
                        "-genkeypair",
                        "-alias",
                        "key",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=scheduler",
                        "-ext",
                        "san=ip:127.0.0.1,uri:csi4j://server",
                        "-validity",
                        "3650",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("waiting for keytool");
        }
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }
}
