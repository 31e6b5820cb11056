package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that hold connections, and clients that guess the token. */
@Timeout(60)
class AdminAttacksTest {
    private static final int CLIENTS = 100;
    private static final String TOKEN = "q7Jx0sW2mUe5Zb9RkT4yVh8CnLd3Pf6A";

    /** A client that sends the beginning of a request, and nothing more. */
    private static Socket beginning(AdminRig rig, String sent) throws IOException {
        Socket socket = new Socket(rig.admin.uri().getHost(), rig.admin.uri().getPort());
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static int status(AdminRig rig, String path) throws Exception {
        return rig.http
                .send(
                        HttpRequest.newBuilder(rig.at(path))
                                .timeout(Duration.ofSeconds(5))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: local",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\nhalf of the bo",
                "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\nhalf of the bo"
            })
    void healthAndPagesAnswerWhileOneHundredClientsHoldHalfARequest(String half) throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (AdminRig rig = new AdminRig()) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(beginning(rig, half));
            }
            for (int i = 0; i < 5; i++) {
                assertThat(status(rig, "/health")).isEqualTo(200);
                assertThat(status(rig, "/volumes")).isEqualTo(200);
                clients.add(beginning(rig, half));
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void slowClientsKeepTheirConnectionsWhileThreadsAreFree() throws Exception {
        try (AdminRig rig = new AdminRig();
                Socket slow = beginning(rig, "GET /health HTTP/1.1\r\nHost: local")) {
            slow.setSoTimeout(20_000);
            for (int i = 0; i < 50; i++) {
                assertThat(status(rig, "/health")).isEqualTo(200);
            }
            slow.getOutputStream().write("host\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void addressThatGuessesHasToWait() throws Exception {
        try (AdminRig rig = new AdminRig(builder -> builder.token(TOKEN))) {
            assertThat(rig.get("/", "Authorization", "Bearer " + TOKEN).statusCode())
                    .isEqualTo(200);
            for (int i = 0; i < 5; i++) {
                assertThat(rig.get("/", "Authorization", "Bearer guess-" + i).statusCode())
                        .isEqualTo(401);
            }
            HttpResponse<String> sixth = rig.get("/", "Authorization", "Bearer " + TOKEN);
            assertThat(sixth.statusCode()).as("the token is not even compared").isEqualTo(429);
            assertThat(sixth.headers().firstValue("Retry-After")).isPresent();
            assertThat(rig.get("/health").statusCode())
                    .as("without a token nothing is guessed")
                    .isEqualTo(200);
        }
    }

    @Test
    void tokensThatAreEasyToGuessAreRefusedWithTheWayToMakeAGoodOne() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            for (String weak : List.of(
                    "short",
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    "abcdefghijklmnopqrstuvwxyz0123456789",
                    "changeit-changeit-changeit-changeit",
                    "correct-horse-battery")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> AdminServer.builder(rig.lifecycle).token(weak))
                        .withMessageContaining("openssl rand -base64 32")
                        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(weak));
            }
        }
    }
}
