package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.retry.AttemptEvent;
import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retries, from the point of view of the plugin. */
class RetryTest {
    private static final NodeUnpublishVolumeRequest REQUEST = NodeUnpublishVolumeRequest.builder(
                    ExternalVolumeId.of("vol-1"), "/t")
            .build();

    @TempDir
    Path directory;

    private PluginServer server;
    /** The elapsed time, which only the tests change. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);

    /** Released when the client has computed the length of a backoff. */
    private final CountDownLatch pausing = new CountDownLatch(1);

    @BeforeEach
    void start() throws Exception {
        server = PluginServer.start(directory.resolve("x.sock"), call -> call.ok(new byte[0]));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private CsiClient.Builder builder() {
        return CsiClient.builder(Endpoint.unix(directory.resolve("x.sock"))).plugin("ebs");
    }

    private static RetryOptions.Builder fast() {
        return RetryOptions.builder().initialBackoff(Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(2));
    }

    private static CompletableFuture<Void> unpublish(CsiClient client) {
        return client.node().nodeUnpublishVolume(REQUEST);
    }

    /** Makes the plugin fail the first calls and answer the later ones. */
    private void failing(int times, Status status) {
        AtomicInteger count = new AtomicInteger();
        server.behave(call -> {
            if (count.incrementAndGet() > times) {
                call.ok(new byte[0]);
            } else {
                call.end(status);
            }
        });
    }

    @Test
    void callThatFailsTwiceWithUnavailableIsSentThreeTimesUnchanged() throws Exception {
        failing(2, Status.UNAVAILABLE);
        try (CsiClient client = builder().build()) {
            Wire.get(unpublish(client));
        }
        assertThat(server.calls()).isEqualTo(3);
        assertThat(List.of(server.next().request(), server.next().request()))
                .containsOnly(server.next().request());
    }

    @Test
    void observerGetsEachAttemptBeforeCallerIsNotified() throws Exception {
        failing(2, Status.UNAVAILABLE.withDescription("restarting"));
        List<AttemptEvent> reported = Collections.synchronizedList(new ArrayList<>());
        try (CsiClient client =
                builder().observer(reported::add).retries(fast().build()).build()) {
            Wire.get(unpublish(client));
            assertThat(reported)
                    .extracting(AttemptEvent::code)
                    .containsExactly(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE, StatusCode.OK);
            assertThat(reported).extracting(AttemptEvent::number).containsExactly(1, 2, 3);
            assertThat(reported)
                    .extracting(event -> event.backoff().isPresent())
                    .containsExactly(true, true, false);
            assertThat(reported).allSatisfy(event -> {
                assertThat(event.rpc()).isEqualTo(Rpc.NODE_UNPUBLISH_VOLUME);
                assertThat(event.plugin()).isEqualTo("ebs");
                assertThat(event.duration()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
            });
            reported.clear();

            server.behave(call -> call.end(Status.NOT_FOUND));
            Wire.failure(unpublish(client));
            assertThat(reported).singleElement().satisfies(event -> {
                assertThat(event.code()).isEqualTo(StatusCode.NOT_FOUND);
                assertThat(event.backoff()).isEmpty();
            });
        }
    }

    @Test
    void observerGetsExactlyOneEventForAttemptThatCannotBeSent() throws Exception {
        MethodDescriptor<GetPluginInfoRequest, GetPluginInfoResponse> method = IdentityGrpc.getGetPluginInfoMethod();
        MethodDescriptor<GetPluginInfoRequest, GetPluginInfoResponse> unsendable = method.toBuilder(
                        new MethodDescriptor.Marshaller<GetPluginInfoRequest>() {
                            @Override
                            public InputStream stream(GetPluginInfoRequest request) {
                                throw new NoClassDefFoundError("of the message");
                            }

                            @Override
                            public GetPluginInfoRequest parse(InputStream stream) {
                                return GetPluginInfoRequest.getDefaultInstance();
                            }
                        },
                        method.getResponseMarshaller())
                .build();
        List<AttemptEvent> reported = Collections.synchronizedList(new ArrayList<>());
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (CsiClient client = builder()
                .observer(reported::add)
                .environment(Wire.environment(executor))
                .build()) {
            Wire.get(Wire.getPluginInfo(client));
            reported.clear();
            CompletableFuture<GetPluginInfoResponse> answer = client.calls()
                    .unary(
                            CsiRequest.empty(),
                            RpcCall.plain(Rpc.GET_PLUGIN_INFO, unsendable, GetPluginInfoRequest.getDefaultInstance()),
                            Function.identity());
            assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        } finally {
            executor.shutdown();
        }
        assertThat(executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(reported).isNotEmpty();
        assertThat(reported).extracting(AttemptEvent::number).doesNotHaveDuplicates();
    }

    @Test
    void failingObserverDoesNotFailCall() throws Exception {
        List<AttemptObserver> broken = List.of(
                event -> {
                    throw new IllegalStateException("full");
                },
                event -> {
                    throw new NoClassDefFoundError("of the metrics");
                });
        int calls = 0;
        for (AttemptObserver observer : broken) {
            failing(1, Status.UNAVAILABLE);
            try (CsiClient client =
                    builder().observer(observer).retries(fast().build()).build()) {
                Wire.get(unpublish(client));
            }
            calls += 2;
            assertThat(server.calls()).isEqualTo(calls);
        }
    }

    @Test
    void finalErrorContainsNumberOfAttempts() throws Exception {
        failing(99, Status.UNAVAILABLE.withDescription("restarting"));
        try (CsiClient client = builder().retries(fast().build()).build()) {
            assertThat(Wire.failure(unpublish(client)))
                    .hasMessageContainingAll("NodeUnpublishVolume for vol-1", "restarting", "It was tried 4 times");
        }
        assertThat(server.calls()).isEqualTo(4);
    }

    /** The refusal of a later attempt does not tell whether an attempt without a response has taken effect (R30). */
    @Test
    void refusalAfterUnansweredAttemptLeavesOutcomeUnknown() {
        AtomicInteger count = new AtomicInteger();
        server.behave(call -> call.end(count.incrementAndGet() == 1 ? Status.UNAVAILABLE : Status.NOT_FOUND));
        try (CsiClient client = builder().retries(fast().build()).build()) {
            CsiCallException failure = Wire.failure(unpublish(client));
            assertThat(failure.code()).isEqualTo(StatusCode.NOT_FOUND);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure).hasMessageContainingAll("no definite answer", "or undo it with NodePublishVolume");
        }
        assertThat(server.calls()).isEqualTo(2);
    }

    @Test
    void hungAttemptLeavesTimeForAnotherAttempt() throws Exception {
        AtomicInteger count = new AtomicInteger();
        server.behave(call -> {
            if (count.incrementAndGet() > 1) {
                call.ok(new byte[0]);
            }
        });
        RetryOptions retries =
                fast().attemptShare(0.01).minAttempt(Duration.ofMillis(100)).build();
        try (CsiClient client = builder()
                .retries(retries)
                .deadlines(CallDeadlines.ofDefaults().withAll(Duration.ofSeconds(30)))
                .build()) {
            Wire.get(unpublish(client));
        }
        assertThat(server.calls()).isEqualTo(2);
        assertThat(server.nextCancelled().rpc()).isEqualTo("NodeUnpublishVolume");
    }

    /** The deadline is 10 minutes and each attempt takes four; after two attempts two minutes are left, but an attempt needs three. */
    @Test
    void noAttemptBeginsIfTooLittleTimeIsLeft() {
        spending(Duration.ofMinutes(4));
        try (CsiClient client = builder()
                .elapsed(now::get)
                .retries(fast().maxAttempts(9).minAttempt(Duration.ofMinutes(3)).build())
                .deadlines(CallDeadlines.ofDefaults().withAll(Duration.ofMinutes(10)))
                .build()) {
            assertThat(Wire.failure(unpublish(client))).hasMessageContaining("tried 2 times within 480.0 s");
        }
        assertThat(server.calls()).isEqualTo(2);
    }

    @Test
    void lastAttemptGetsAllRemainingTime() throws Exception {
        spending(Duration.ofMinutes(4));
        try (CsiClient client = builder()
                .elapsed(now::get)
                .retries(fast().maxAttempts(2).build())
                .deadlines(CallDeadlines.ofDefaults().withAll(Duration.ofMinutes(10)))
                .build()) {
            Wire.failure(unpublish(client));
        }
        server.next();
        assertThat(server.next().timeout()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
    }

    @Test
    void noAttemptBeginsAfterRetryBudgetIsUsedUp() {
        spending(Duration.ofSeconds(20));
        try (CsiClient client = builder()
                .elapsed(now::get)
                .retries(fast().maxAttempts(9).budget(Duration.ofSeconds(50)).build())
                .build()) {
            Wire.failure(unpublish(client));
        }
        assertThat(server.calls()).isEqualTo(3);
    }

    private void spending(Duration each) {
        server.behave(call -> {
            now.addAndGet(each.toNanos());
            call.end(Status.UNAVAILABLE);
        });
    }

    @Test
    void upperBoundOfRandomBackoffDoublesUntilMaximum() throws Exception {
        // A random number whose remainder is the largest for each limit, so that each backoff has its maximum length.
        long longest = Duration.ofMillis(60).toNanos() - 1;
        failing(99, Status.ABORTED);
        RetryOptions retries = RetryOptions.builder()
                .maxAttempts(6)
                .initialBackoff(Duration.ofMillis(3))
                .maxBackoff(Duration.ofMillis(20))
                .build();
        List<AttemptEvent> attempts = Collections.synchronizedList(new ArrayList<>());
        try (CsiClient client = builder()
                .retries(retries)
                .observer(attempts::add)
                .environment(Wire.environment(Runnable::run, () -> longest << 1))
                .build()) {
            Wire.failure(unpublish(client));
        }
        assertThat(attempts.stream().flatMap(attempt -> attempt.backoff().stream()))
                .containsExactly(
                        Duration.ofMillis(3),
                        Duration.ofMillis(6),
                        Duration.ofMillis(12),
                        Duration.ofMillis(20),
                        Duration.ofMillis(20));
    }

    @Test
    void eightyAttemptsAreMadeIfDeadlinePermits() throws Exception {
        failing(99, Status.ABORTED);
        RetryOptions retries = RetryOptions.builder()
                .maxAttempts(80)
                .initialBackoff(Duration.ofMillis(1))
                .maxBackoff(Duration.ofMinutes(1))
                .build();
        // Makes each backoff as short as possible.
        try (CsiClient client = builder()
                .retries(retries)
                .environment(Wire.environment(Runnable::run, () -> 0))
                .deadlines(CallDeadlines.ofDefaults().withAll(Duration.ofHours(1)))
                .build()) {
            Wire.failure(unpublish(client));
        }
        assertThat(server.calls()).isEqualTo(80);
    }

    /** Returns retry options with backoffs of minutes. */
    private RetryOptions slow() {
        return RetryOptions.builder()
                .initialBackoff(Duration.ofHours(1))
                .maxBackoff(Duration.ofHours(1))
                .build();
    }

    private void awaitPause() throws InterruptedException {
        assertThat(pausing.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private CsiClient pausing() {
        return builder()
                .retries(slow())
                .volumeOrder(VolumeOrder.oneAtATime())
                .observer(attempt -> pausing.countDown())
                .deadlines(CallDeadlines.ofDefaults().withAll(Duration.ofHours(9)))
                .build();
    }

    @Test
    void closingClientDuringBackoffFailsCallWithoutAnotherAttempt() throws Exception {
        failing(99, Status.UNAVAILABLE);
        CsiClient client = pausing();
        CompletableFuture<Void> call = unpublish(client);
        server.next();
        awaitPause();
        client.close();
        CsiCallException failure = Wire.failure(call);
        assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(server.calls()).isEqualTo(1);
        assertThatThrownBy(() -> unpublish(client)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void callCancelledDuringBackoffCanBeRepeated() throws Exception {
        failing(1, Status.UNAVAILABLE);
        try (CsiClient client = pausing()) {
            CompletableFuture<Void> call = unpublish(client);
            server.next();
            awaitPause();
            assertThat(call.cancel(true)).isTrue();
            assertThat(client.unresolved()).singleElement().satisfies(left -> {
                assertThat(left.rpc()).isEqualTo(Rpc.NODE_UNPUBLISH_VOLUME);
                assertThat(left.subject()).isEqualTo("vol-1");
                assertThat(left.location()).isEqualTo("/t");
            });
            Wire.get(unpublish(client));
            assertThat(client.unresolved()).isEmpty();
        }
        assertThat(server.calls()).isEqualTo(2);
    }

    @Test
    void cancellingCallCancelsAttemptInFlightAtPlugin() throws Exception {
        AtomicInteger count = new AtomicInteger();
        server.behave(call -> {
            if (count.incrementAndGet() == 1) {
                call.end(Status.UNAVAILABLE);
            }
        });
        try (CsiClient client = builder().retries(fast().build()).build()) {
            CompletableFuture<Void> call = unpublish(client);
            server.next();
            server.next();
            call.cancel(true);
            assertThat(server.nextCancelled().rpc()).isEqualTo("NodeUnpublishVolume");
        }
        assertThat(server.calls()).isEqualTo(2);
    }

    @Test
    void clientViewWithoutRetriesDoesNotRetry() throws Exception {
        failing(1, Status.UNAVAILABLE);
        try (CsiClient client = builder().build()) {
            Wire.failure(unpublish(client.withRetries(RetryOptions.none())));
            assertThat(server.calls()).isEqualTo(1);
            assertThat(client.withRetries(RetryOptions.none())
                            .withDeadline(Duration.ofMinutes(1))
                            .retries())
                    .isSameAs(RetryOptions.none());
        }
    }

    @Test
    void tooLargeResponseIsNotRetried() throws Exception {
        server.behave(call -> call.ok(new byte[2_000]));
        try (CsiClient client = builder().maxInboundMessageSize(1_000).build()) {
            assertThat(Wire.failure(unpublish(client)).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        }
        assertThat(server.calls()).isEqualTo(1);
    }
}
