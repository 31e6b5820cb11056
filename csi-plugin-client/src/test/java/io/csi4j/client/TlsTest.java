package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("versions")
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path directory;

    /** Creates a self-signed certificate and writes the certificate and its key as PEM files. */
    @BeforeAll
    static void makeCertificates() throws Exception {
        for (String name : new String[] {"server", "client", "stranger"}) {
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
                            "san=dns:localhost,dns:" + name + ".example,ip:127.0.0.1",
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            new String(PASSWORD))
                    .inheritIO()
                    .start();
            assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(keytool.exitValue()).isZero();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            write(pem(name), "CERTIFICATE", keys.getCertificate("key").getEncoded());
            write(key(name), "PRIVATE KEY", keys.getKey("key", PASSWORD).getEncoded());
        }
    }

    private static void write(Path file, String kind, byte[] content) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n",
                StandardCharsets.US_ASCII);
    }

    private static Path pem(String name) {
        return directory.resolve(name + ".pem");
    }

    private static Path key(String name) {
        return directory.resolve(name + ".key");
    }

    private static PluginServer mutualTls() throws Exception {
        return PluginServer.startTcp(
                GrpcSslContexts.forServer(pem("server").toFile(), key("server").toFile())
                        .trustManager(pem("client").toFile())
                        .clientAuth(ClientAuth.REQUIRE)
                        .build(),
                call -> call.ok(Wire.INFO));
    }

    private static CsiClient client(PluginServer server, Transport transport, TlsOptions tls) {
        return CsiClient.builder(Endpoint.remote("tcp://localhost:" + server.port(), tls))
                .transport(transport)
                .build();
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void mutualTlsConnectionSucceeds(Transport transport) throws Exception {
        TlsOptions tls = TlsOptions.builder()
                .trustedCertificates(pem("server"))
                .certificate(pem("client"), key("client"))
                .build();
        try (PluginServer server = mutualTls();
                CsiClient client = client(server, transport, tls)) {
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void expectedServerNameCanBeSet() throws Exception {
        TlsOptions.Builder tls =
                TlsOptions.builder().trustedCertificates(pem("server")).certificate(pem("client"), key("client"));
        try (PluginServer server = mutualTls()) {
            try (CsiClient client = client(
                    server, Transport.AUTO, tls.serverName("server.example").build())) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
            }
            try (CsiClient client = client(
                    server, Transport.AUTO, tls.serverName("other.example").build())) {
                assertThat(Wire.failure(Wire.getPluginInfo(client)).code()).isEqualTo(StatusCode.UNAVAILABLE);
            }
        }
    }

    @Test
    void untrustedServerGetsNoCall() throws Exception {
        try (PluginServer server = mutualTls()) {
            TlsOptions trustsStranger = TlsOptions.builder()
                    .trustedCertificates(pem("stranger"))
                    .certificate(pem("client"), key("client"))
                    .build();
            TlsOptions isStranger = TlsOptions.builder()
                    .trustedCertificates(pem("server"))
                    .certificate(pem("stranger"), key("stranger"))
                    .build();
            TlsOptions shows =
                    TlsOptions.builder().trustedCertificates(pem("server")).build();
            for (TlsOptions tls : new TlsOptions[] {trustsStranger, isStranger, shows, TlsOptions.ofDefaults()}) {
                try (CsiClient client = client(server, Transport.AUTO, tls)) {
                    CsiCallException failure = Wire.failure(Wire.getPluginInfo(client));
                    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
                    assertThat(failure).hasMessageContaining("tcp://localhost:" + server.port());
                }
            }
            assertThat(server.calls()).isZero();
        }
    }

    @Test
    void errorOfClientBuildContainsNameOfUnusableTlsFile() throws Exception {
        Path nowhere = directory.resolve("nowhere.pem");
        assertThatThrownBy(() -> CsiClient.builder(Endpoint.remote(
                                "tcp://localhost:1",
                                TlsOptions.builder()
                                        .trustedCertificates(nowhere)
                                        .build()))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tls: ")
                .hasMessageContaining("the file " + nowhere + " does not exist or may not be read");
        Path noKey = directory.resolve("not-a.key");
        Files.writeString(noKey, "not a key");
        assertThatThrownBy(() -> CsiClient.builder(Endpoint.remote(
                                "tcp://localhost:1",
                                TlsOptions.builder()
                                        .certificate(pem("client"), noKey)
                                        .build()))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not-a.key");
    }

    private static void copy(String name, Path chain, Path key) throws Exception {
        Files.copy(pem(name), chain, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(key(name), key, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void nextConnectionUsesNewCertificateAfterCertificateFileIsReplaced() throws Exception {
        Path chain = directory.resolve("own.pem");
        Path key = directory.resolve("own.key");
        copy("stranger", chain, key);
        TlsOptions tls = TlsOptions.builder()
                .trustedCertificates(pem("server"))
                .certificate(chain, key)
                .build();
        try (PluginServer server = mutualTls();
                CsiClient client = client(server, Transport.AUTO, tls)) {
            // The client has read the files when it was built, and connects at the first call.
            copy("client", chain, key);
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void earlierCertificateIsUsedWhileReplacementIsIncomplete() throws Exception {
        Path chain = directory.resolve("half.pem");
        Path key = directory.resolve("half.key");
        copy("client", chain, key);
        TlsOptions tls = TlsOptions.builder()
                .trustedCertificates(pem("server"))
                .certificate(chain, key)
                .build();
        try (PluginServer server = mutualTls();
                CsiClient client = client(server, Transport.AUTO, tls)) {
            Files.copy(pem("stranger"), chain, StandardCopyOption.REPLACE_EXISTING);
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void loopbackEndpointWorksWithoutTls(Transport transport) throws Exception {
        try (PluginServer server = PluginServer.startTcp(null, call -> call.ok(Wire.INFO));
                CsiClient client = CsiClient.builder(Endpoint.loopback("tcp://127.0.0.1:" + server.port()))
                        .transport(transport)
                        .build()) {
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
        }
    }
}
