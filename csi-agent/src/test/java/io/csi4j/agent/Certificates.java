package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.TlsOptions;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Certificates that sign themselves, as PEM files, made with the JDK's own tool. */
final class Certificates {
    private static final String PASSWORD = "changeit";

    private final Path directory;

    Certificates(Path directory) {
        this.directory = directory;
    }

    /** A certificate for this machine with a further name. */
    void make(String name, String uri) throws Exception {
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
        write(chain(name), "CERTIFICATE", keys.getCertificate("key").getEncoded());
        write(
                key(name),
                "PRIVATE KEY",
                keys.getKey("key", PASSWORD.toCharArray()).getEncoded());
    }

    private static void write(Path file, String kind, byte[] content) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n",
                StandardCharsets.US_ASCII);
    }

    Path chain(String name) {
        return directory.resolve(name + ".pem");
    }

    Path key(String name) {
        return directory.resolve(name + ".key");
    }

    /** One file with the certificates to trust. */
    Path trusting(String file, String... names) throws Exception {
        Path bundle = directory.resolve(file);
        Path fresh = directory.resolve(file + ".new");
        StringBuilder all = new StringBuilder();
        for (String name : names) {
            all.append(Files.readString(chain(name)));
        }
        Files.writeString(fresh, all);
        Files.move(fresh, bundle, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        return bundle;
    }

    TlsOptions of(String name, Path trusted) {
        return TlsOptions.builder()
                .trustedCertificates(trusted)
                .certificate(chain(name), key(name))
                .build();
    }

    /** Puts another's certificate and key into the place of one. */
    void exchange(String name, String by) throws Exception {
        for (Path[] files : new Path[][] {{key(by), key(name)}, {chain(by), chain(name)}}) {
            Path fresh = directory.resolve(files[1].getFileName() + ".new");
            Files.copy(files[0], fresh);
            Files.move(fresh, files[1], java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
