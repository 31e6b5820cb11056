package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are broken, slow, or not those of csi4j. */
class HostileServerTest {
    private static final String HOSTILE = "a\\u001b[2J\\u009b31m\\u0007\\u202eb";

    private final Shell shell = Shell.ofThings();

    private int run(FakeServer server, String... arguments) {
        shell.environment.put("CSI_ADDRESS", server.address());
        return shell.run(arguments);
    }

    private static void assertHarmless(String text) {
        assertThat(text.chars().filter(c -> c != '\n' && (Character.isISOControl(c) || c == 0x202e)))
                .as(text)
                .isEmpty();
    }

    @Test
    void controlCharactersReachNoTerminal() throws Exception {
        String thing = ("{'id':'X','phase':'X','since':'X','note':'X','labels':{'X':'X'},'parts':[{'name':'X'}],"
                        + "'part':{'name':'X','X':'X'},'X':'X','more':[{'X':'X'}],'capacityBytes':'X'}")
                .replace('\'', '"')
                .replace("X", HOSTILE);
        try (FakeServer server = new FakeServer(request -> request.line().contains("/v1/things?")
                ? FakeServer.json(200, "{\"index\":1,\"items\":[" + thing + "],\"next\":\"" + HOSTILE + "\"}")
                : request.line().contains("/events")
                        ? FakeServer.answer(200, "text/event-stream", "data: " + thing + "\n\n")
                        : request.line().startsWith("PUT")
                                ? FakeServer.answer(
                                        422,
                                        "application/problem+json",
                                        "{'type':'X','detail':'X','leader':'X','problems':[{'field':'X','problem':'Y X','remedy':'X'}]}"
                                                .replace('\'', '"')
                                                .replace("X", HOSTILE))
                                : FakeServer.json(200, thing))) {
            assertThat(run(server, "thing", "status", "default", "a"))
                    .as(shell.errors())
                    .isZero();
            assertThat(run(server, "thing", "status", "default", "a", "--json")).isZero();
            assertThat(run(server, "thing", "list", "--limit", "1")).isZero();
            assertThat(run(server, "thing", "list", "--limit", "1", "--json")).isZero();
            assertThat(run(server, "operation", "watch", "1")).isZero();
            assertThat(run(server, "thing", "create", "default", "a", "--plugin", "p"))
                    .isEqualTo(Csi.FAILED);
        }
        assertThat(shell.output()).contains("a?[2J?31m??b", "\\u001b[2J\\u009b31m\\u0007\\u202eb");
        assertThat(shell.errors()).contains("a?[2J");
        assertHarmless(shell.output());
        assertHarmless(shell.errors());
    }

    static Stream<Arguments> brokenAnswers() {
        return Stream.of(
                Arguments.of(
                        "a redirection",
                        FakeServer.json(302, "", "Location: http://127.0.0.1:1/"),
                        "with a redirection, which csi does not follow"),
                Arguments.of(
                        "a web page",
                        FakeServer.answer(200, "text/html", "<p>"),
                        "with status 200 and the type 'text/html'"),
                Arguments.of("a page of a proxy", FakeServer.answer(502, "text/html", "<p>"), "with status 502"),
                Arguments.of("no type", FakeServer.answer(200, "", "{}"), "the type 'none'"),
                Arguments.of(
                        "an interim answer",
                        (FakeServer.Answer) out -> out.write(ascii("HTTP/1.1 103 x\r\n\r\n")),
                        "with status 103"),
                Arguments.of("no JSON", FakeServer.json(200, "hello"), "it is not the JSON of the API"),
                Arguments.of("half of a text", FakeServer.json(200, "{\"id\":\"a"), "cannot be read"),
                Arguments.of(
                        "a problem that is none",
                        FakeServer.answer(500, "application/problem+json", "[1]"),
                        "the server gave no reason"),
                Arguments.of(
                        "the end in the middle",
                        (FakeServer.Answer)
                                out -> out.write(
                                        ascii(
                                                "HTTP/1.1 200 x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"id\"")),
                        "cannot be read"));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void brokenAnswers(String name, FakeServer.Answer answer, String message) throws Exception {
        try (FakeServer server = FakeServer.of(answer)) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains(message);
            assertThat(server.requests).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSH-2.0-server\r\n", "HTTP/1.1 200 x\r\nx: ", "HTTP/1.1 200 x\r\nx: HUGE\r\n\r\n", ""})
    void serverThatIsNoneOfHttpIsUnreachable(String text) throws Exception {
        try (FakeServer server = FakeServer.of(out -> out.write(ascii(text.replace("HUGE", "y".repeat(100_000)))))) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.UNREACHABLE);
            assertThat(shell.errors()).contains("no server serves the request\n  " + server.address() + ": ");
        }
    }

    @Test
    void hugeObjectEndsAtTheLimit() throws Exception {
        long[] written = new long[1];
        FakeServer.Answer endless = out -> {
            out.write(ascii("HTTP/1.1 200 x\r\nContent-Type: application/json\r\n\r\n{\"id\":\""));
            byte[] part = "x".repeat(65_536).getBytes(StandardCharsets.US_ASCII);
            while (true) {
                out.write(part);
                written[0] += part.length;
            }
        };
        try (FakeServer server = FakeServer.of(endless)) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("its answer is larger than 16 MiB");
        }
        assertThat(written[0]).isLessThan(64L << 20);
    }

    @Test
    void pageThatRepeatsEndsTheList() throws Exception {
        try (FakeServer server =
                FakeServer.of(FakeServer.json(200, "{\"index\":1,\"items\":[{\"id\":\"a\"}],\"next\":\"same\"}"))) {
            assertThat(run(server, "thing", "list")).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("repeats a page of the list");
            assertThat(server.requests).hasSize(2);
        }
    }

    @Test
    void itemsBeyondTheLimitAreNotShown() throws Exception {
        String items = "{\"id\":\"a\"},".repeat(5) + "{\"id\":\"b\"}";
        try (FakeServer server = FakeServer.of(FakeServer.json(200, "{\"index\":1,\"items\":[" + items + "]}"))) {
            assertThat(run(server, "thing", "list", "--limit", "5")).isZero();
            assertThat(shell.output().lines()).hasSize(6).doesNotContain("b");
        }
    }

    @Test
    void serverThatSaysNothingIsLeftForTheNext() throws Exception {
        FakeServer gone = FakeServer.of(out -> {});
        gone.close();
        try (FakeServer mute = FakeServer.of(out -> {});
                FakeServer server = FakeServer.of(FakeServer.json(200, "{\"id\":\"a\"}"))) {
            shell.environment.put("CSI_ADDRESS", String.join(",", gone.address(), mute.address(), server.address()));
            assertThat(shell.run("thing", "status", "default", "a"))
                    .as(shell.errors())
                    .isZero();
        }
    }

    @Test
    void followerAndBusyServerAreLeftForTheNext() throws Exception {
        try (FakeServer follower = FakeServer.of(FakeServer.problem(503, "not-leading", "this server does not lead"));
                FakeServer starting = FakeServer.of(FakeServer.problem(503, "unavailable", "the log is full"));
                FakeServer leader = FakeServer.of(FakeServer.json(200, "{\"id\":\"a\"}"))) {
            shell.environment.put(
                    "CSI_ADDRESS", String.join(",", follower.address(), starting.address(), leader.address()));
            assertThat(shell.run("thing", "create", "default", "a", "--plugin", "disk"))
                    .as(shell.errors())
                    .isZero();
            assertThat(Stream.of(follower, starting, leader)
                            .flatMap(server -> server.requests.stream())
                            .map(request -> request.head()
                                    .toLowerCase(Locale.ROOT)
                                    .replaceAll("(?s).*idempotency-key: (\\S+).*", "$1")))
                    .containsExactly("key-1", "key-1", "key-1");
            assertThat(shell.pauses).isEmpty();
        }
    }

    @Test
    void leaderIsWaitedForAndThenItsAbsenceIsSaid() throws Exception {
        try (FakeServer follower = FakeServer.of(FakeServer.problem(503, "not-leading", "this server does not lead"))) {
            assertThat(run(follower, "thing", "status", "default", "a")).isEqualTo(Csi.UNREACHABLE);
            assertThat(shell.errors()).contains("this server does not lead");
            assertThat(shell.pauses.stream().reduce(Duration.ZERO, Duration::plus))
                    .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
            shell.pauses.clear();
            assertThat(run(follower, "thing", "status", "default", "a", "--timeout", "0"))
                    .isEqualTo(Csi.UNREACHABLE);
            assertThat(shell.pauses).isEmpty();
        }
    }

    @Test
    void busyServerIsAskedAgainWhenItSays() throws Exception {
        FakeServer.Answer busy = FakeServer.problem(429, "too-many-wrong-tokens", "try again in 3 s", "Retry-After: 3");
        int[] asked = new int[1];
        try (FakeServer server =
                new FakeServer(request -> asked[0]++ == 0 ? busy : FakeServer.json(200, "{\"id\":\"a\"}"))) {
            assertThat(run(server, "thing", "status", "default", "a")).isZero();
            assertThat(shell.pauses).containsExactly(Duration.ofSeconds(3));
        }
        try (FakeServer server = FakeServer.of(FakeServer.problem(429, "busy", "slowly", "Retry-After: 60"))) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.FAILED);
            assertThat(server.requests).hasSize(1);
            assertThat(shell.errors()).contains("slowly");
        }
    }

    @Test
    void refusalSaysWhyWithItsCode() throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.problem(403, "access-denied", "needs VOLUME_READ"))) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).isEqualTo("csi: needs VOLUME_READ\n");
        }
        try (FakeServer server = FakeServer.of(FakeServer.problem(400, "bad-request", "limit is 0"))) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.USAGE);
        }
    }

    @Test
    void unableServerShowsItsHealth() throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(503, "{\"id\":\"unable\"}"))) {
            assertThat(run(server, "thing", "status", "default", "a")).isEqualTo(Csi.FAILED);
            assertThat(shell.output()).contains("unable");
        }
    }
}
