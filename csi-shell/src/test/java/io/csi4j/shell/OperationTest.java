package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Actions that take long. */
class OperationTest {
    private static final String[] CREATE = {"thing", "create", "default", "a", "--plugin", "disk"};
    private static final String LOCATION = "Location: /v1/operations/op-7";

    private final Shell shell = Shell.ofThings();

    private static String operation(String state, String more) {
        return "{\"id\":\"op-7\",\"command\":\"thing create\",\"state\":\"" + state + "\"" + more + "}";
    }

    private static FakeServer.Answer events(String... events) {
        StringBuilder text = new StringBuilder(": hello\n\n");
        for (String event : events) {
            text.append("data: ").append(event).append("\r\n\r\n");
        }
        return FakeServer.answer(200, "text/event-stream", text.toString());
    }

    private FakeServer server(String end) throws Exception {
        return new FakeServer(request -> request.line().contains("/events ")
                ? events(
                        operation(
                                "RUNNING",
                                ",\"progress\":{\"phase\":\"CREATING\",\"attempts\":0,\"waits\":[\"its turn\"]}"),
                        operation("DONE", ""))
                : request.line().startsWith("GET /v1/operations/op-7 ")
                        ? FakeServer.json(200, end)
                        : FakeServer.json(202, operation("RUNNING", ""), LOCATION));
    }

    private int run(FakeServer server, String... arguments) {
        shell.environment.put("CSI_ADDRESS", server.address());
        return shell.run(arguments);
    }

    @Test
    void operationIsFollowedToItsResult() throws Exception {
        try (FakeServer server = server(operation("DONE", ",\"result\":{\"id\":\"a\",\"capacityBytes\":1024}"))) {
            assertThat(run(server, CREATE)).as(shell.errors()).isZero();
            assertThat(shell.output()).isEqualTo("Id        a\nCapacity  1.0 KiB\n");
            assertThat(shell.errors().lines())
                    .containsExactly(
                            "csi thing create: RUNNING",
                            "csi thing create: RUNNING  phase CREATING  its turn",
                            "csi thing create: DONE",
                            "csi thing create: DONE");
            assertThat(shell.interrupt).hasNullValue();
        }
    }

    @Test
    void failedOperationSaysWhy() throws Exception {
        String problem =
                ",\"problem\":{\"type\":\"urn:csi4j:problem:plugin-call-failed\",\"detail\":\"no space; add a disk\"}";
        try (FakeServer server = server(operation("FAILED", problem))) {
            assertThat(run(server, CREATE)).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).endsWith("csi: no space; add a disk\n");
        }
        try (FakeServer server = server(operation("CANCELLED", ""))) {
            assertThat(run(server, CREATE)).isEqualTo(Csi.FAILED);
        }
    }

    @Test
    void answerWithAStateIsNoOperation() throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(200, operation("CANCELLED", "")))) {
            assertThat(run(server, CREATE)).isZero();
            assertThat(shell.output()).contains("State    CANCELLED");
        }
    }

    @Test
    void resultInJsonIsThatOfAQuickAction() throws Exception {
        String end = operation("DONE", ",\"result\":{\"id\":\"a\"}");
        try (FakeServer server = server(end)) {
            assertThat(run(server, "thing", "create", "default", "a", "--plugin", "disk", "--json"))
                    .isZero();
            assertThat(shell.output()).isEqualTo("{\"id\":\"a\"}\n");
        }
    }

    @Test
    void operationThatIsNotWaitedForIsPrinted() throws Exception {
        try (FakeServer server = server("")) {
            assertThat(run(server, "thing", "create", "default", "a", "--plugin", "disk", "--no-wait"))
                    .isZero();
            assertThat(shell.output()).contains("Id       op-7");
            assertThat(server.requests).hasSize(1);
            assertThat(server.requests.get(0).line()).contains("wait=0");
        }
    }

    @Test
    void interruptedPersonLearnsHowToWatchAndCancel() throws Exception {
        String[] shown = new String[1];
        try (FakeServer server = new FakeServer(request -> {
            if (request.line().contains("/events ")) {
                shell.interrupt.get().run();
                shown[0] = shell.errors();
                return events(operation("DONE", ""));
            }
            return request.line().startsWith("GET")
                    ? FakeServer.json(200, operation("DONE", ""))
                    : FakeServer.json(202, operation("RUNNING", ""), LOCATION);
        })) {
            assertThat(run(server, CREATE)).isZero();
            assertThat(shown[0])
                    .contains("The operation continues.", "csi operation watch op-7", "csi operation cancel op-7");
        }
    }

    @Test
    void lostServerIsReplacedByTheNextWithTheSameKey() throws Exception {
        AtomicInteger gone = new AtomicInteger();
        try (FakeServer dying =
                        new FakeServer(request -> request.line().startsWith("PUT") && gone.getAndIncrement() == 0
                                ? FakeServer.json(202, operation("RUNNING", ""), LOCATION)
                                : out -> {});
                FakeServer next = FakeServer.of(FakeServer.json(200, "{\"id\":\"a\"}"))) {
            shell.environment.put("CSI_ADDRESS", dying.address() + "," + next.address());
            assertThat(shell.run(CREATE)).as(shell.errors()).isZero();
            assertThat(shell.output()).isEqualTo("Id  a\n");
            assertThat(next.requests.get(0).head()).containsIgnoringCase("idempotency-key: key-1\r\n");
            assertThat(dying.requests.get(0).head()).containsIgnoringCase("idempotency-key: key-1\r\n");
        }
    }

    @Test
    void restartedServerThatForgotTheOperationIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (FakeServer server = new FakeServer(request -> request.line().startsWith("GET")
                ? FakeServer.problem(404, "not-found", "there is no such operation")
                : asked.getAndIncrement() == 0
                        ? FakeServer.json(202, operation("RUNNING", ""), LOCATION)
                        : FakeServer.json(200, "{\"id\":\"a\"}"))) {
            assertThat(run(server, CREATE)).as(shell.errors()).isZero();
            assertThat(shell.errors()).contains("has forgotten the operation; asking again");
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void operationWithAProblemOfItsOwnIsNotStartedAgain() throws Exception {
        String problem =
                ",\"problem\":{\"type\":\"urn:csi4j:problem:not-found\",\"detail\":\"there is no such volume\"}";
        try (FakeServer server = server(operation("FAILED", problem))) {
            assertThat(run(server, CREATE)).isEqualTo(Csi.FAILED);
            assertThat(server.requests).hasSize(3);
        }
    }

    @Test
    void locationOfAnotherServerIsNotFollowed() throws Exception {
        try (FakeServer other = FakeServer.of(FakeServer.json(200, "{}"));
                FakeServer server = FakeServer.of(FakeServer.json(
                        202, operation("RUNNING", ""), "Location: " + other.address() + "/v1/operations/1"))) {
            assertThat(run(server, CREATE)).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("the server does not say which; see csi operation list");
            assertThat(other.requests).isEmpty();
        }
    }

    @Test
    void watchedOperationIsALineForEachEvent() throws Exception {
        try (FakeServer server = FakeServer.of(
                events(operation("RUNNING", ",\"attempts\":2"), operation("FAILED", ",\"lastError\":\"no space\"")))) {
            assertThat(run(server, "operation", "watch", "op-7")).isEqualTo(Csi.FAILED);
            assertThat(shell.output()).isEqualTo("RUNNING  attempts 2\nFAILED  last error no space\n");
            assertThat(run(server, "operation", "watch", "op-7", "--json")).isEqualTo(Csi.FAILED);
            assertThat(shell.output()).endsWith(operation("FAILED", ",\"lastError\":\"no space\"") + "\n");
        }
    }
}
