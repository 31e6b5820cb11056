package io.csi4j.examples.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminServer;
import io.csi4j.examples.MarkedCode;
import io.csi4j.server.CsiServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the guide for operators, its first token, its policy, and the token of a colleague. */
class OperatedServerTest {
    private static final Path GUIDE = Path.of("..", "docs", "guide", "operate.md");
    private static final Pattern SECRET = Pattern.compile("csi4j_[A-Za-z0-9_-]+");

    @Test
    void guideShowsTheProgram() throws Exception {
        Path source = Path.of("src/test/java/io/csi4j/examples/operate/OperatedServer.java");
        String block = MarkedCode.block(source);
        assertThat(Files.readString(GUIDE)).contains(block);
        assertThat(block.lines().count()).isLessThanOrEqualTo(38);
    }

    @Test
    void firstTokenAndTokenOfColleagueOpenThePort(@TempDir Path directory) throws Exception {
        SSLContext tls = tls(directory);
        Path policies = Files.createDirectories(directory.resolve("policies"));
        // The policy of the guide.
        Matcher policy = Pattern.compile("(?ms)^```\\n(# team A.*?)^```$").matcher(Files.readString(GUIDE));
        assertThat(policy.find()).isTrue();
        Files.writeString(policies.resolve("team-a.policy"), policy.group(1));
        AtomicBoolean served = new AtomicBoolean();
        MeterRegistry registry = new SimpleMeterRegistry();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        new OperatedServer() {
            @Override
            void schedule(CsiServer server, AdminServer admin) throws Exception {
                Path file = directory.resolve("first-token");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
                String first = Files.readString(file).strip();
                Port port =
                        new Port(admin, HttpClient.newBuilder().sslContext(tls).build());
                assertThat(port.get("v1/nodes", "").statusCode()).isEqualTo(401);
                assertThat(port.get("v1/nodes", first).body()).contains("\"local\"");
                assertThat(port.get("v1/policies", first).body()).contains("team-a");
                assertThat(port.get("v1/log", first).statusCode()).isEqualTo(200);
                assertThat(port.get("", first).body()).contains("<html");
                Matcher colleague =
                        SECRET.matcher(port.post("v1/tokens", first, "{\"name\":\"ada\",\"policies\":[\"team-a\"]}")
                                .body());
                assertThat(colleague.find()).isTrue();
                assertThat(port.get("v1/volumes", colleague.group()).statusCode())
                        .isEqualTo(200);
                HttpResponse<String> refused = port.get("v1/nodes", colleague.group());
                assertThat(refused.statusCode()).isEqualTo(403);
                assertThat(refused.body()).contains("MANAGEMENT");
                assertThat(registry.find("csi4j.log").meters()).isNotEmpty();
                served.set(true);
            }
        }.run(directory, address, tls, registry);
        assertThat(served).isTrue();
    }

    private record Port(AdminServer admin, HttpClient client) {
        HttpResponse<String> get(String path, String token) throws Exception {
            return send(HttpRequest.newBuilder(admin.uri().resolve(path)), token);
        }

        HttpResponse<String> post(String path, String token, String body) throws Exception {
            return send(
                    HttpRequest.newBuilder(admin.uri().resolve(path))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(body)),
                    token);
        }

        private HttpResponse<String> send(HttpRequest.Builder request, String token) throws Exception {
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            return client.send(request.build(), BodyHandlers.ofString());
        }
    }

    /** Returns the keys of a server on the loopback address, which trusts itself. */
    private static SSLContext tls(Path directory) throws Exception {
        Path store = directory.resolve("server.p12");
        char[] password = "secret".toCharArray();
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=csi",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String printed = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(printed).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, password);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, password);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return tls;
    }
}
