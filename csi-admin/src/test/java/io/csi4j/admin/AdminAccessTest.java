package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminAccessTest {
    private static final String TOKEN = "q7Jx0sW2mUe5Zb9RkT4yVh8CnLd3Pf6A";

    @TempDir
    Path directory;

    /** Makes a certificate for localhost with the tool of the JDK. */
    private SSLContext tls() throws Exception {
        Path file = directory.resolve("keys.p12");
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process keytool = new ProcessBuilder(
                        tool.toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        "console",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        file.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "changeit".toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static InetSocketAddress anyAddress() throws Exception {
        return new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
    }

    private static String basic(String password) {
        return "Basic " + Base64.getEncoder().encodeToString(("operator:" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void listeningOnNonLoopbackAddressWithoutTlsOrTokenIsRefused() throws Exception {
        SSLContext tls = tls();
        try (AdminRig rig = new AdminRig()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> AdminServer.builder(rig.lifecycle)
                            .listen(anyAddress())
                            .start())
                    .withMessageContaining("not a loopback address")
                    .withMessageContaining("set TLS and a token");
            assertThatIllegalStateException()
                    .isThrownBy(() -> AdminServer.builder(rig.lifecycle)
                            .listen(anyAddress())
                            .tls(tls)
                            .start())
                    .withMessageContaining("set a token");
            assertThatIllegalStateException()
                    .isThrownBy(() -> AdminServer.builder(rig.lifecycle)
                            .listen(anyAddress())
                            .token(TOKEN)
                            .start())
                    .withMessageContaining("set TLS,");
            assertThatIllegalStateException()
                    .isThrownBy(() -> AdminServer.builder(rig.lifecycle)
                            .listen(InetSocketAddress.createUnresolved("nowhere.invalid", 80))
                            .start())
                    .withMessageContaining("nowhere.invalid");
        }
    }

    @Test
    void listeningOnNonLoopbackAddressWorksWithTlsAndToken() throws Exception {
        SSLContext tls = tls();
        InetSocketAddress address = anyAddress();
        try (AdminRig rig =
                new AdminRig(builder -> builder.listen(address).tls(tls).token(TOKEN))) {
            HttpClient client = HttpClient.newBuilder().sslContext(tls).build();
            URI uri = rig.admin.uri();
            assertThat(uri.getScheme()).isEqualTo("https");
            HttpResponse<String> refused =
                    client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow())
                    .startsWith("Basic");
            for (String authorization : List.of("Bearer " + TOKEN, basic(TOKEN))) {
                HttpResponse<String> page = client.send(
                        HttpRequest.newBuilder(uri)
                                .header("Authorization", authorization)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(page.statusCode()).isEqualTo(200);
                assertThat(page.body()).contains("This server can do its work");
            }
        }
    }

    @Test
    void everyPageRefusesRequestWithoutToken() throws Exception {
        try (AdminRig rig = new AdminRig(builder -> builder.token(TOKEN))) {
            for (String path : List.of("/", "/volumes", "/events", "/assets/console.js", "/none")) {
                assertThat(rig.get(path).statusCode()).as(path).isEqualTo(401);
            }
        }
    }

    @Test
    void wrongTokensAreRefused() throws Exception {
        List<String> wrong = List.of(
                "Bearer " + TOKEN + "x", "Bearer", "Bearer ", basic("wrong"), "Basic !!!", "Digest " + TOKEN, TOKEN);
        try (AdminRig rig = new AdminRig(builder -> builder.token(TOKEN))) {
            for (String path : List.of("/", "/events")) {
                for (String each : wrong) {
                    assertThat(rig.get(path, "Authorization", each).statusCode())
                            .as("%s with %s", path, each)
                            .isEqualTo(401);
                    // A right token ends the count of the wrong ones.
                    assertThat(rig.get("/", "Authorization", "bearer " + TOKEN).statusCode())
                            .isEqualTo(200);
                }
            }
        }
    }

    @Test
    void healthRequestWithoutTokenReturnsOnlyWhetherServerCanWork() throws Exception {
        try (AdminRig rig = new AdminRig(builder -> builder.token(TOKEN))) {
            HttpResponse<String> brief = rig.get("/health");
            assertThat(brief.statusCode()).isEqualTo(200);
            assertThat(brief.body()).isEqualTo("{\"able\":true}\n");
            JsonObject full = JsonParser.parseString(
                            rig.get("/health", "Authorization", basic(TOKEN)).body())
                    .getAsJsonObject();
            assertThat(full.get("leading").getAsBoolean()).isTrue();
        }
    }

    @Test
    void healthRequestReturns503WithReasonsIfServerCannotWork() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.lifecycle.stopLeading();
            HttpResponse<String> response = rig.get("/health");
            assertThat(response.statusCode()).isEqualTo(503);
            JsonObject health = JsonParser.parseString(response.body()).getAsJsonObject();
            assertThat(health.get("able").getAsBoolean()).isFalse();
            JsonObject problem = health.getAsJsonArray("problems").get(0).getAsJsonObject();
            assertThat(problem.get("kind").getAsString()).isEqualTo("no_leader");
            assertThat(problem.get("blocking").getAsBoolean()).isTrue();
            assertThat(problem.get("message").getAsString()).contains("knows no leader");
            assertThat(problem.get("remedy").getAsString()).isNotEmpty();
            assertThat(rig.get("/").body()).contains("This server cannot do its work");
        }
    }

    /** Java's client does not send another host, so the request is written by hand. */
    private static String status(URI uri, String host) throws Exception {
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.substring(0, answer.indexOf('\r'));
        }
    }

    @Test
    void requestWithForeignHostHeaderAndNoTokenIsRefused() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            URI uri = rig.admin.uri();
            assertThat(status(uri, "localhost:" + uri.getPort())).contains("200");
            assertThat(status(uri, "127.0.0.1")).contains("200");
            assertThat(status(uri, "evil.example.com")).contains("421");
            assertThat(status(uri, "localhost.evil.example.com:" + uri.getPort()))
                    .contains("421");
        }
    }

    @Test
    void closedConsoleRefusesConnectionsAndCanBeClosedAgain() throws Exception {
        AdminRig rig = new AdminRig();
        URI uri = rig.admin.uri();
        rig.admin.close();
        rig.admin.close();
        assertThatThrownBy(() -> new Socket(uri.getHost(), uri.getPort()).close())
                .isInstanceOf(IOException.class);
        rig.close();
    }
}
