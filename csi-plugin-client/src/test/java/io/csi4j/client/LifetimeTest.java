package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.grpc.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The closing of clients, the sharing of connections, and the threads on which code runs. */
class LifetimeTest {
    @TempDir
    Path directory;

    private Path socket;
    private PluginServer server;

    @BeforeEach
    void start() throws Exception {
        socket = directory.resolve("x.sock");
        server = PluginServer.start(socket, call -> call.ok(Wire.INFO));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private CsiClient client() {
        return CsiClient.connect(socket.toString());
    }

    @Test
    void closingClientFailsCallsInFlightAndRejectsLaterCalls() throws Exception {
        server.behave(call -> {});
        CsiClient client = client();
        CsiClient view = client.withDeadline(Duration.ofMinutes(1));
        CompletableFuture<CreateVolumeResponse> inFlight = Wire.createVolume(client);
        // Uses another name, because two calls with one name wait for each other.
        CompletableFuture<CreateVolumeResponse> ofView = Wire.createVolume(
                view, CreateVolumeRequest.newBuilder().setName("pvc-2").build());
        server.next();
        server.next();

        view.close();
        client.close();
        client.close();

        for (CompletableFuture<?> each : List.of(inFlight, ofView)) {
            CsiCallException failure = Wire.failure(each);
            assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure).hasMessageContaining("the client was closed while the call was in flight");
        }
        for (CsiClient each : List.of(client, view)) {
            assertThatThrownBy(() -> Wire.getPluginInfo(each))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("unix://" + socket + " is closed");
            assertThat(each.toString()).isEqualTo("CsiClient[unix://" + socket + ", closed]");
        }
    }

    @Test
    void clientViewWithOwnDeadlinesMakesCallsAndLeavesClientDeadlinesUnchanged() {
        try (CsiClient client = client()) {
            CsiClient view = client.withDeadline(Duration.ofSeconds(7));
            assertThat(view.deadlines()).isEqualTo(CallDeadlines.ofDefaults().withAll(Duration.ofSeconds(7)));
            assertThat(client.deadlines()).isEqualTo(CallDeadlines.ofDefaults());
            assertThat(Wire.get(Wire.getPluginInfo(view))).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void callbackCanBlockUntilAnotherCallCompletes() {
        try (CsiClient client = client()) {
            Thread test = Thread.currentThread();
            List<CompletableFuture<GetPluginInfoResponse>> nested = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                nested.add(Wire.getPluginInfo(client).thenApply(answer -> {
                    // The stage runs on this thread if the response has arrived already.
                    assertThat(Thread.currentThread())
                            .matches(thread -> thread.equals(test) || thread.isDaemon(), "this thread or a daemon");
                    return Wire.get(Wire.getPluginInfo(client));
                }));
            }
            nested.forEach(each -> assertThat(Wire.get(each)).isEqualTo(Wire.INFO));
        }
    }

    @Test
    void hostExecutorCompletesFuturesAndStaysOpen() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor(work -> new Thread(work, "mine"));
        try (CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                .environment(Wire.environment(executor))
                .build()) {
            CountDownLatch bound = new CountDownLatch(1);
            server.behave(call -> {
                try {
                    assertThat(bound.await(20, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                call.ok(Wire.INFO);
            });
            CompletableFuture<String> thread = Wire.getPluginInfo(client)
                    .thenApply(answer -> Thread.currentThread().getName());
            bound.countDown();
            assertThat(Wire.get(thread)).isEqualTo("mine");
        }
        assertThat(executor.isShutdown()).isFalse();
        executor.shutdownNow();
    }

    @Test
    void noResponseIsLostIfHostShutsDownItsExecutorEarly() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                .environment(Wire.environment(executor))
                .build()) {
            server.behave(call -> {});
            CompletableFuture<GetPluginInfoResponse> inFlight = Wire.getPluginInfo(client);
            PluginServer.Call call = server.next();
            executor.shutdownNow();
            call.ok(Wire.INFO);
            assertThat(Wire.get(inFlight)).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void clientCanBeClosedFromItsOwnThread() {
        for (boolean direct : new boolean[] {false, true}) {
            CsiClient.Builder builder = CsiClient.builder(Endpoint.unix(socket));
            CsiClient client = (direct ? builder.environment(Wire.environment(Runnable::run)) : builder).build();
            CompletableFuture<GetPluginInfoResponse> closing =
                    Wire.getPluginInfo(client).whenComplete((answer, failure) -> client.close());
            assertThat(Wire.get(closing)).isEqualTo(Wire.INFO);
            assertThat(client.toString()).endsWith("closed]");
        }
    }

    @Test
    void callContinuesWhenGrpcCallThatTriggeredItEnds() throws Exception {
        server.behave(call -> {});
        try (CsiClient client = client()) {
            Context.CancellableContext serving = Context.current().withCancellation();
            CompletableFuture<GetPluginInfoResponse> begun = serving.call(() -> Wire.getPluginInfo(client));
            PluginServer.Call call = server.next();
            serving.cancel(null);
            CompletableFuture<GetPluginInfoResponse> later = serving.call(() -> Wire.getPluginInfo(client));
            server.next().ok(Wire.INFO);
            assertThat(Wire.get(later)).isEqualTo(Wire.INFO);
            call.ok(Wire.INFO);
            assertThat(Wire.get(begun)).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void buildingClientOpensNoConnection() {
        try (CsiClient client = client()) {
            assertThat(client.endpoint()).isEqualTo(Endpoint.unix(socket));
            assertThat(client.plugin()).isEqualTo("unix://" + socket);
            assertThat(server.calls()).isZero();
        }
    }

    @Test
    void concurrentFirstCallsOpenOneConnection() throws Exception {
        int threads = 16;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (CsiClient client = client()) {
            CyclicBarrier together = new CyclicBarrier(threads);
            List<Future<GetPluginInfoResponse>> answers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                answers.add(executor.submit(() -> {
                    together.await(20, TimeUnit.SECONDS);
                    return Wire.get(Wire.getPluginInfo(client));
                }));
            }
            for (Future<GetPluginInfoResponse> each : answers) {
                assertThat(each.get(20, TimeUnit.SECONDS)).isEqualTo(Wire.INFO);
            }
            assertThat(server.calls()).isEqualTo(threads);
            assertThat(server.connections()).isEqualTo(1);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void zeroMessageSizeAndBlankPluginNameAreRejected() {
        CsiClient.Builder builder = CsiClient.builder(Endpoint.unix(socket));
        assertThatThrownBy(() -> builder.maxInboundMessageSize(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxInboundMessageSize: 0");
        assertThatThrownBy(() -> builder.plugin(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plugin: the name is blank");
    }
}
