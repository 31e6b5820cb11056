package io.csi4j.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that do not lead, that stand still, or that answer each for itself. */
class SeveralServersTest {
    private static final String WHERE = "the waiting claims are known only at s3, which leads";

    private final Shell shell = new Shell();

    /** Ends the answers that do not come. */
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void end() {
        end.countDown();
    }

    private int run(List<FakeServer> servers, String... arguments) {
        shell.environment.put(
                "CSI_ADDRESS",
                String.join(",", servers.stream().map(FakeServer::address).toList()));
        return shell.run(arguments);
    }

    private static FakeServer volumes(String volume, String... headers) throws Exception {
        return FakeServer.of(FakeServer.json(
                200, "{\"index\":7,\"items\":[{\"namespace\":\"default\",\"volume\":\"" + volume + "\"}]}", headers));
    }

    /** Takes the connection and the request, and says nothing. */
    private FakeServer stopped() throws Exception {
        return FakeServer.of(out -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void answerOfTheLeaderTakesThePlaceOfAnIncompleteOne() throws Exception {
        try (FakeServer follower = volumes("old", "Csi-Incomplete: " + WHERE);
                FakeServer other = volumes("older", "Csi-Incomplete: " + WHERE);
                FakeServer leader = volumes("db")) {
            assertThat(run(List.of(follower, other, leader), "volume", "list")).isZero();
            assertThat(shell.output()).contains("db").doesNotContain("old");
            assertThat(shell.errors()).isEmpty();
            assertThat(Stream.of(follower, other, leader).map(server -> server.requests.size()))
                    .containsExactly(1, 1, 1);
        }
    }

    @Test
    void incompleteAnswerIsShownWithItsReasonIfNoServerHasAnother() throws Exception {
        try (FakeServer follower = volumes("first", "Csi-Incomplete: " + WHERE);
                FakeServer other = volumes("second", "Csi-Incomplete: " + WHERE);
                FakeServer refusing = FakeServer.of(FakeServer.problem(500, "internal", "it failed"))) {
            assertThat(run(List.of(follower, refusing, other), "volume", "list"))
                    .as(shell.errors())
                    .isZero();
            assertThat(shell.output()).contains("first").doesNotContain("second");
            assertThat(shell.errors()).isEqualTo("csi: not all is shown: " + WHERE + "\n");
            assertThat(run(List.of(follower), "volume", "list", "--json")).isZero();
            assertThat(shell.errors().split(WHERE, -1)).hasSize(3);
        }
    }

    @Test
    void followerWithoutOtherAddressesIsAskedOnceIfItKnowsTheLeader() throws Exception {
        String leader = "{\"type\":\"urn:csi4j:problem:not-leading\",\"status\":503,\"detail\":\"it does not lead\"";
        try (FakeServer follower = FakeServer.of(
                        FakeServer.answer(503, "application/problem+json", leader + ",\"leader\":\"s3\"}"));
                FakeServer alone = FakeServer.of(FakeServer.answer(503, "application/problem+json", leader + "}"))) {
            assertThat(run(List.of(follower), "claim", "waiting")).isEqualTo(Csi.UNREACHABLE);
            assertThat(follower.requests).hasSize(1);
            assertThat(shell.pauses).isEmpty();
            assertThat(shell.errors())
                    .contains(
                            "it does not lead",
                            "The name of the leader is s3",
                            "give the addresses of all servers, or that of the leader");
            assertThat(run(List.of(alone), "claim", "waiting")).isEqualTo(Csi.UNREACHABLE);
            assertThat(alone.requests.size()).as("a leader may be elected soon").isGreaterThan(10);
        }
    }

    @Test
    void portWithoutTlsIsNoMatterOfCertificates() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> {
                try (Socket connection = plain.accept()) {
                    connection.getInputStream().read();
                    connection.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
                    connection.shutdownOutput();
                    connection.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    assert plain.isClosed() : e;
                }
            });
            answers.start();
            shell.environment.put("CSI_ADDRESS", "https://127.0.0.1:" + plain.getLocalPort());
            assertThat(shell.run("volume", "list", "--timeout", "0")).isEqualTo(Csi.UNREACHABLE);
            answers.join();
            assertThat(shell.errors())
                    .contains("it does not speak TLS; if its port has none, begin the address with http://")
                    .doesNotContain("certificate");
        }
    }

    @Test
    void nothingIsMissedIfTheLeaderStandsStill() throws Exception {
        try (FakeServer follower = volumes("first", "Csi-Incomplete: " + WHERE);
                FakeServer leader = stopped()) {
            assertThat(run(List.of(follower, leader), "volume", "list", "--timeout", "1"))
                    .isZero();
            assertThat(shell.errors()).contains(WHERE);
        }
    }

    @Test
    void serverThatStandsStillIsAskedOnceMoreAndLeft() throws Exception {
        try (FakeServer server = stopped()) {
            assertThat(run(List.of(server), "server", "health", "--timeout", "0"))
                    .isEqualTo(Csi.UNREACHABLE);
            assertThat(shell.errors()).contains("it does not answer");
            assertThat(server.requests)
                    .extracting(FakeServer.Request::line)
                    .containsExactly("GET /v1/health HTTP/1.1", "GET /v1/nothing HTTP/1.1");
        }
    }

    @Test
    void serverThatNeedsLongIsWaitedFor() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (FakeServer server = new FakeServer(request -> {
            if (request.line().contains("/v1/nothing")) {
                return out -> {
                    FakeServer.problem(404, "no-such-address", "there is nothing here")
                            .write(out);
                    asked.countDown();
                };
            }
            return out -> {
                try {
                    asked.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                FakeServer.json(200, "{\"able\":true}").write(out);
            };
        })) {
            assertThat(run(List.of(server), "server", "health", "--timeout", "1"))
                    .as(shell.errors())
                    .isZero();
            assertThat(shell.output()).contains("yes");
            assertThat(server.requests)
                    .extracting(FakeServer.Request::line)
                    .containsExactly("GET /v1/health HTTP/1.1", "GET /v1/nothing HTTP/1.1");
        }
    }

    @Test
    void healthFailsIfAServerCannotDoItsWork() throws Exception {
        try (FakeServer able = FakeServer.of(FakeServer.json(200, "{\"able\":true,\"leading\":true,\"problems\":[]}"));
                FakeServer silent = FakeServer.of(FakeServer.json(
                        200,
                        "{\"able\":false,\"leading\":false,\"problems\":[{\"kind\":\"log_silent\",\"blocking\":true,"
                                + "\"message\":\"the log did not answer\",\"remedy\":\"check the disk\"}]}"))) {
            assertThat(run(List.of(silent), "server", "health")).isEqualTo(Csi.FAILED);
            assertThat(shell.output()).contains("log_silent", "the log did not answer");
            assertThat(run(List.of(able, silent), "server", "health", "--json")).isEqualTo(Csi.FAILED);
            assertThat(run(List.of(able), "server", "health")).isZero();
        }
    }

    @Test
    void healthIsThatOfEachServer() throws Exception {
        FakeServer gone = FakeServer.of(out -> {});
        gone.close();
        try (FakeServer follower = FakeServer.of(FakeServer.json(
                        200, "{\"able\":true,\"leading\":false,\"problems\":[]}", "Csi-Incomplete: " + WHERE));
                FakeServer leader = FakeServer.of(FakeServer.json(
                        200,
                        "{\"able\":true,\"leading\":true,\"problems\":[{\"kind\":\"node_work_stuck\","
                                + "\"blocking\":false,\"message\":\"an unmount\",\"remedy\":\"restart\"}]}"))) {
            assertThat(run(List.of(follower, leader, gone), "server", "health")).isEqualTo(Csi.FAILED);
            assertThat(shell.output())
                    .containsSubsequence(
                            follower.address(), leader.address(), "node_work_stuck", gone.address(), "nothing listens");
            assertThat(shell.errors()).as("the leader has answered").isEmpty();
            shell.out.getBuffer().setLength(0);
            assertThat(run(List.of(follower, leader), "server", "health", "--json"))
                    .isZero();
            JsonObject all = JsonParser.parseString(shell.output()).getAsJsonObject();
            assertThat(all.getAsJsonArray("servers")).hasSize(2);
            assertThat(all.getAsJsonArray("servers")
                            .get(1)
                            .getAsJsonObject()
                            .getAsJsonObject("answer")
                            .get("leading")
                            .getAsBoolean())
                    .isTrue();
            shell.out.getBuffer().setLength(0);
            assertThat(run(List.of(follower, gone), "server", "health", "--json"))
                    .isEqualTo(Csi.FAILED);
            assertThat(shell.output()).contains("\"failure\":\"nothing listens there\"");
            assertThat(shell.errors()).contains(WHERE);
            assertThat(run(List.of(gone, gone), "server", "health")).isEqualTo(Csi.UNREACHABLE);
        }
    }

    @Test
    void watchedTableIsPrintedOnlyIfItDiffersWithItsTime() throws Exception {
        int[] asked = new int[1];
        Thread watcher = Thread.currentThread();
        try (FakeServer server = new FakeServer(request -> {
            int index = ++asked[0];
            if (index == 4) {
                watcher.interrupt();
            }
            String claims = index < 3 ? "0" : "1";
            return FakeServer.json(
                    200,
                    "{\"index\":" + index + ",\"items\":[{\"namespace\":\"default\",\"volume\":\"db\",\"taken\":"
                            + claims + "}]}",
                    "Csi-Index: " + index);
        })) {
            assertThat(run(List.of(server), "volume", "list", "--watch")).isZero();
            assertThat(Thread.interrupted()).isTrue();
            List<String> lines = shell.output().lines().toList();
            assertThat(lines).filteredOn(line -> line.contains("db")).hasSize(2);
            assertThat(lines)
                    .filteredOn(line -> line.equals("2026-01-01T12:00:00Z"))
                    .hasSize(2);
            assertThat(lines.get(0)).isEqualTo("2026-01-01T12:00:00Z");
        }
    }

    @Test
    void watchedTableIsNotPrintedAgainIfOnlyAgesDiffer() throws Exception {
        int[] asked = new int[1];
        Thread watcher = Thread.currentThread();
        try (FakeServer server = new FakeServer(request -> {
            int index = ++asked[0];
            if (index == 4) {
                watcher.interrupt();
            }
            return FakeServer.json(
                    200,
                    "{\"index\":" + index + ",\"items\":[{\"node\":\"n1\",\"status\":\"READY\","
                            + "\"lastContact\":\"2026-01-01T11:00:0" + index + "Z\""
                            + (index < 3 ? "" : ",\"silentFor\":" + index) + "}]}",
                    "Csi-Index: " + index);
        })) {
            assertThat(run(List.of(server), "node", "list", "--watch")).isZero();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(shell.output().lines().filter(line -> line.startsWith("n1")))
                    .as("the second time because the node fell silent")
                    .hasSize(2);
        }
    }
}
