package io.csi4j.client.internal.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.TlsOptions;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificates are for tests only, and nothing checks their dates here. */
class TlsFilesTest {
    private static final String ONE = """
            -----BEGIN CERTIFICATE-----
            MIIBiTCCAS+gAwIBAgIUS/+t5idjwoFGfw3dSymm6v2ZYcwwCgYIKoZIzj0EAwIw
            DjEMMAoGA1UEAwwDb25lMCAXDTI2MTEyOTA3MjY1NloYDzIxMjYxMTA1MDcyNjU2
            WjAOMQwwCgYDVQQDDANvbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS18T5n
            ZK1tk+z0b23z4rpn63XK0Qj39tO1EByvNOq1wBNvLiZOrefRax/5wU0lgUJnKVyE
            bUOSlv1RC0lqZc+7o2kwZzAdBgNVHQ4EFgQUyQO3UfZlYXjI03OSurKdP45Vdm0w
            HwYDVR0jBBgwFoAUyQO3UfZlYXjI03OSurKdP45Vdm0wDwYDVR0TAQH/BAUwAwEB
            /zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSAAwRQIgIYxb//aw
            EPmJpNuYjGJb7tIqbhTGpHhRSvHPIEU/wQUCIQDq/huNdK6JfPWTIwNJxWC/lkFR
            RAV1gAtrKj1m39SDAQ==
            -----END CERTIFICATE-----
            """;
    private static final String KEY_OF_ONE = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghd1K7+KJxQ/qmvG5
            /J7tOMAg/UiZDDXSk24QJyFnCamhRANCAAS18T5nZK1tk+z0b23z4rpn63XK0Qj3
            9tO1EByvNOq1wBNvLiZOrefRax/5wU0lgUJnKVyEbUOSlv1RC0lqZc+7
            -----END PRIVATE KEY-----
            """;
    private static final String TWO = """
            -----BEGIN CERTIFICATE-----
            MIIBijCCAS+gAwIBAgIUBLEOEfwOnOuBHAGzjuG+BcbSSs0wCgYIKoZIzj0EAwIw
            DjEMMAoGA1UEAwwDdHdvMCAXDTI2MTEyOTA3MjY1NloYDzIxMjYxMTA1MDcyNjU2
            WjAOMQwwCgYDVQQDDAN0d28wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQrwt4t
            PRy/BiOF52QFO9PZTxJFlKyKwxIFbiHMW4y9xDml+Zp55w7Md+ThovlnwH/yRjAK
            X6x3M/tdtIi5dWsno2kwZzAdBgNVHQ4EFgQUhj8fTV4brK8zkI0LMExqr5S5tT0w
            HwYDVR0jBBgwFoAUhj8fTV4brK8zkI0LMExqr5S5tT0wDwYDVR0TAQH/BAUwAwEB
            /zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSQAwRgIhAILj18aL
            wR2KLYCVR5HMiZgtABBxqKT+INpV3SHMMxZ0AiEA9cnXfP+qv6Hb+awvOqteSyfo
            TVmWg8glFBuukDRr9C8=
            -----END CERTIFICATE-----
            """;
    private static final String KEY_OF_TWO = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYdnKOTgydPiFQKfP
            7iV6QPbB02iSht1vYieFRX+vjkihRANCAAQrwt4tPRy/BiOF52QFO9PZTxJFlKyK
            wxIFbiHMW4y9xDml+Zp55w7Md+ThovlnwH/yRjAKX6x3M/tdtIi5dWsn
            -----END PRIVATE KEY-----
            """;

    @TempDir
    Path directory;

    private Path trusted;
    private Path chain;
    private Path key;
    private long writes;

    @BeforeEach
    void write() throws IOException {
        trusted = directory.resolve("trusted.pem");
        chain = directory.resolve("own.pem");
        key = directory.resolve("own.key");
        write(trusted, ONE);
        write(chain, ONE);
        write(key, KEY_OF_ONE);
    }

    /** Writes a file with a time of its own, however fast the test is. */
    private void write(Path file, String content) throws IOException {
        Files.writeString(file, content);
        writes++;
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000 + writes));
    }

    private TlsFiles files() throws Exception {
        return TlsFiles.read(Optional.of(trusted), Optional.of(chain), Optional.of(key));
    }

    private static X509TrustManager trustManager(TlsFiles files) throws Exception {
        return files.trustManager(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, TlsFiles.PeerCheck.ANY);
    }

    private static Stream<String> names(X509Certificate... certificates) {
        return Stream.of(certificates)
                .map(each -> each.getSubjectX500Principal().getName());
    }

    private static Stream<String> presented(TlsFiles files) {
        return presented(files.keyManager().orElseThrow());
    }

    private static Stream<String> presented(X509KeyManager keys) {
        return names(keys.getCertificateChain(keys.chooseClientAlias(new String[] {"EC"}, null, null)));
    }

    @Test
    void replacedFilesAreUsedAfterReload() throws Exception {
        TlsFiles files = files();
        X509TrustManager manager = trustManager(files);
        assertThat(presented(files)).containsExactly("CN=one");
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=one");
        write(trusted, TWO);
        write(chain, TWO);
        write(key, KEY_OF_TWO);
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=one");
        files.reload();
        assertThat(presented(files)).containsExactly("CN=two");
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=two");
        assertThat(names(trustManager(files).getAcceptedIssuers())).containsExactly("CN=two");
    }

    @Test
    void halfReplacedPairChangesNothingUntilItsKeyArrives() throws Exception {
        TlsFiles files = files();
        X509TrustManager manager = trustManager(files);
        write(trusted, TWO);
        write(chain, TWO);
        for (int reload = 0; reload < 2; reload++) {
            assertThatThrownBy(files::reload)
                    .isInstanceOf(CertificateException.class)
                    .hasMessage("the key belongs to another certificate");
            assertThat(presented(files)).containsExactly("CN=one");
            assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=one");
        }
        write(key, KEY_OF_TWO);
        files.reload();
        assertThat(presented(files)).containsExactly("CN=two");
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=two");
    }

    @Test
    void filesAreReadAgainOnlyIfOneWasReplaced() throws Exception {
        TlsFiles files = files();
        FileTime before = Files.getLastModifiedTime(chain);
        Files.writeString(chain, "x".repeat((int) Files.size(chain)));
        Files.setLastModifiedTime(chain, before);
        assertThatCode(files::reload).doesNotThrowAnyException();
        assertThat(presented(files)).containsExactly("CN=one");
    }

    @Test
    void fileWithoutCertificateIsRefusedByName() throws Exception {
        write(chain, "");
        assertThatThrownBy(this::files)
                .isInstanceOf(CertificateException.class)
                .hasMessage("there is no certificate in " + chain);
        Files.delete(chain);
        assertThatThrownBy(this::files).isInstanceOf(NoSuchFileException.class).hasMessage(chain.toString());
    }

    @Test
    void certificatesOfTheJvmAreTrustedIfNoneAreNamed() throws Exception {
        TlsFiles files = TlsFiles.read(Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(files.keyManager()).isEmpty();
        assertThat(names(trustManager(files).getAcceptedIssuers())).isNotEmpty().doesNotContain("CN=one");
    }

    @Test
    void peerIsRefusedByAdditionalCheck() throws Exception {
        TlsFiles files = files();
        X509ExtendedTrustManager manager = (X509ExtendedTrustManager)
                files.trustManager(Verification.INSECURELY_SKIP_ALL_VERIFICATION, certificate -> {
                    if (names(certificate).anyMatch("CN=one"::equals)) {
                        throw new CertificateException("another peer");
                    }
                });
        X509Certificate[] one = trustManager(files).getAcceptedIssuers();
        write(trusted, TWO);
        files.reload();
        X509Certificate[] two = trustManager(files).getAcceptedIssuers();
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        assertThatThrownBy(() -> manager.checkClientTrusted(one, "EC", engine)).hasMessage("another peer");
        assertThatCode(() -> manager.checkClientTrusted(two, "EC", engine)).doesNotThrowAnyException();
        try (Socket socket = new Socket()) {
            assertThatThrownBy(() -> manager.checkServerTrusted(one, "EC", socket))
                    .hasMessage("another peer");
            assertThatCode(() -> manager.checkServerTrusted(two, "EC", socket)).doesNotThrowAnyException();
        }
    }

    @Test
    void unusableFilesAreNamedAtFirstAndKeepTheEarlierOnesLater() throws Exception {
        TlsOptions options = TlsOptions.builder()
                .trustedCertificates(trusted)
                .certificate(chain, key)
                .build();
        ReloadedTls tls = ReloadedTls.open(options, Clock.systemUTC());
        X509TrustManager manager =
                tls.trustManager(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION, TlsFiles.PeerCheck.ANY);
        assertThat(presented(tls.keyManager().orElseThrow())).containsExactly("CN=one");
        write(trusted, TWO);
        tls.reload();
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=two");
        Files.delete(trusted);
        tls.reload();
        assertThat(names(manager.getAcceptedIssuers())).containsExactly("CN=two");
        assertThatThrownBy(() -> ReloadedTls.open(options, Clock.systemUTC()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageContaining("tls: the files of " + options + " cannot be used (the file " + trusted
                        + " does not exist or may not be read)");
        write(trusted, TWO);
        write(key, "-----BEGIN PRIVATE KEY-----\nsecret-canary\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> ReloadedTls.open(options, Clock.systemUTC()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageContaining("cannot be used (")
                .hasMessageNotContaining("canary");
    }
}
