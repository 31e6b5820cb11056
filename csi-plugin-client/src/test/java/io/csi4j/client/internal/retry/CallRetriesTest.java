package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.retry.AttemptEvent;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Calls with virtual time and without a plugin: their waits, attempts, backoffs and ends. */
class CallRetriesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final PlainCall PUBLISH = PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "v", "/1");
    private static final PlainCall UNPUBLISH = PlainCall.of(Rpc.NODE_UNPUBLISH_VOLUME, "v", "/1");
    private static final PlainCall UNSTAGE = PlainCall.of(Rpc.NODE_UNSTAGE_VOLUME, "v", "/s");
    private static final PlainCall STATS = PlainCall.of(Rpc.NODE_GET_VOLUME_STATS, "v", "/1");
    private static final PlainCall PROBE = PlainCall.of(Rpc.PROBE, null, "");

    private static final RetryOptions OPTIONS = RetryOptions.builder()
            .maxAttempts(3)
            .initialBackoff(Duration.ofMillis(100))
            .maxBackoff(Duration.ofMillis(200))
            .attemptShare(0.5)
            .minAttempt(Duration.ofSeconds(1))
            .build();

    /** Chooses the longest backoff. */
    private static final RandomGenerator LONGEST = new RandomGenerator() {
        @Override
        public long nextLong() {
            throw new AssertionError("unexpected random number");
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    };

    private final VirtualTime time = VirtualTime.inOrder();
    /** The time by which the clock of the calls is ahead of the timer. */
    private long ahead;

    private boolean closed;
    private final List<AttemptEvent> events = new ArrayList<>();
    private final List<Sent> sent = new ArrayList<>();
    /** Code that runs while an attempt is sent. */
    private Runnable sending = () -> {};

    private final CallRetries retries = retries(VolumeOrder.oneAtATime());

    /** An attempt that was sent. */
    private final class Sent implements Cancellable {
        final PlainCall call;
        final Duration limit;
        private final AttemptListener<? super String> listener;
        boolean cancelled;

        Sent(PlainCall call, long nanos, AttemptListener<? super String> listener) {
            this.call = call;
            this.limit = Duration.ofNanos(nanos);
            this.listener = listener;
        }

        void answer(String value) {
            listener.answered(value);
            time.run();
            time.advance(Duration.ZERO);
        }

        void fail(StatusCode code) {
            fail(call.failure(code), true, true);
        }

        void fail(Throwable failure, boolean wasSent, boolean repeatable) {
            listener.failed(failure, wasSent, repeatable);
            time.advance(Duration.ZERO);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private CallRetries retries(VolumeOrder order) {
        return new CallRetries(
                        CallRules.defaults(),
                        order,
                        new RetryEnvironment(
                                () -> time.nanoTime() + ahead, time, () -> closed, Optional.of(events::add)),
                        LONGEST)
                .with(OPTIONS);
    }

    private CompletableFuture<String> begin(CallRetries with, PlainCall call) {
        return with.begin(call, "ebs", DEADLINE, (nanos, listener) -> {
            Sent attempt = new Sent(call, nanos, listener);
            sent.add(attempt);
            sending.run();
            return attempt;
        });
    }

    private CompletableFuture<String> begin(PlainCall call) {
        return begin(retries, call);
    }

    private static Throwable failure(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        try {
            throw new AssertionError("unexpected answer: " + call.get());
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (InterruptedException | CancellationException e) {
            throw new AssertionError(e);
        }
    }

    private static CsiCallException callFailure(CompletableFuture<?> call) {
        assertThat(failure(call)).isInstanceOf(CsiCallException.class);
        return (CsiCallException) failure(call);
    }

    private void idle() {
        assertThat(retries.queues().size()).as("queues").isZero();
        assertThat(time.timers()).as("timers").isZero();
    }

    private static AttemptEvent event(
            Rpc rpc, StatusCode code, int number, Duration duration, @Nullable Duration backoff) {
        return new AttemptEvent(rpc, "ebs", code, number, duration, Optional.ofNullable(backoff));
    }

    @Test
    void attemptsAndBackoffsFollowPlanAndAreObserved() {
        CompletableFuture<String> call = begin(PUBLISH);
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).limit).isEqualTo(Duration.ofSeconds(5));

        time.advance(Duration.ofSeconds(1));
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        time.advance(Duration.ofMillis(99));
        assertThat(sent).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1).limit).isEqualTo(Duration.ofMillis(4_450));

        sent.get(1).fail(StatusCode.ABORTED);
        time.advance(Duration.ofMillis(200));
        assertThat(sent).hasSize(3);
        assertThat(sent.get(2).limit).isEqualTo(Duration.ofMillis(8_700));
        assertThat(call).isNotDone();

        sent.get(2).answer("done");
        assertThat(call).isCompletedWithValue("done");
        assertThat(events)
                .containsExactly(
                        event(PUBLISH.rpc(), StatusCode.UNAVAILABLE, 1, Duration.ofSeconds(1), Duration.ofMillis(100)),
                        event(PUBLISH.rpc(), StatusCode.ABORTED, 2, Duration.ZERO, Duration.ofMillis(200)),
                        event(PUBLISH.rpc(), StatusCode.OK, 3, Duration.ZERO, null));
        assertThat(retries.unresolved()).isEmpty();
        idle();
    }

    @Test
    void lastFailureNamesAttemptsAndTimeSinceBeginOfCall() {
        CompletableFuture<String> call = begin(PUBLISH);
        time.advance(Duration.ofSeconds(1));
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        time.advance(Duration.ofMillis(100));
        sent.get(1).fail(StatusCode.NOT_FOUND);
        assertThat(callFailure(call))
                .hasMessageStartingWith("long NOT_FOUND. It was tried 2 times within 1.1 s. An earlier try");
        assertThat(retries.unresolved()).isEmpty();
        idle();
    }

    @Test
    void attemptIsNotRepeatedIfRulesOrTransmissionForbidIt() {
        CompletableFuture<String> refused = begin(PUBLISH);
        CsiCallException notFound = PUBLISH.failure(StatusCode.NOT_FOUND);
        sent.get(0).fail(notFound, true, true);
        assertThat(failure(refused)).isSameAs(notFound);

        CompletableFuture<String> tooLarge = begin(STATS);
        CsiCallException exhausted = STATS.failure(StatusCode.UNAVAILABLE);
        sent.get(1).fail(exhausted, true, false);
        assertThat(failure(tooLarge)).isSameAs(exhausted);

        CompletableFuture<String> broken = begin(STATS);
        IllegalStateException defect = new IllegalStateException("defect");
        sent.get(2).fail(defect, true, true);
        assertThat(failure(broken)).isSameAs(defect);
        assertThat(sent).hasSize(3);
        assertThat(events)
                .containsExactly(
                        event(PUBLISH.rpc(), StatusCode.NOT_FOUND, 1, Duration.ZERO, null),
                        event(STATS.rpc(), StatusCode.UNAVAILABLE, 1, Duration.ZERO, null),
                        event(STATS.rpc(), StatusCode.UNKNOWN, 1, Duration.ZERO, null));
        idle();
    }

    @Test
    void noAttemptFollowsIfTooLittleTimeIsLeft() {
        CompletableFuture<String> call = begin(PUBLISH);
        time.advance(Duration.ofSeconds(9));
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        assertThat(callFailure(call).code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(retries.unresolved()).hasSize(1);
    }

    @Test
    void attemptThatCannotBeSentLeavesUnknownOutcome() {
        NoClassDefFoundError unsendable = new NoClassDefFoundError("of the message");
        sending = () -> {
            throw unsendable;
        };
        CompletableFuture<String> call = begin(PUBLISH);
        assertThat(failure(call)).isSameAs(unsendable);
        assertThat(events).containsExactly(event(PUBLISH.rpc(), StatusCode.UNKNOWN, 1, Duration.ZERO, null));
        assertThat(retries.unresolved()).singleElement().satisfies(left -> {
            assertThat(left.rpc()).isEqualTo(PUBLISH.rpc());
            assertThat(left.subject()).isEqualTo("v");
            assertThat(left.location()).isEqualTo("/1");
        });
    }

    @Test
    void callWithoutTimeIsStillSent() {
        var unused = retries.begin(PROBE, "ebs", Duration.ZERO, (nanos, listener) -> {
            assertThat(nanos).isEqualTo(1);
            sent.add(new Sent(PROBE, nanos, listener));
            return sent.get(0);
        });
        assertThat(sent).hasSize(1);
    }

    @Test
    void secondEndOfAttemptIsIgnored() {
        CompletableFuture<String> call = begin(PUBLISH);
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        sent.get(0).answer("late");
        assertThat(call).isNotDone();
        time.advance(Duration.ofMillis(100));
        assertThat(sent).hasSize(2);
        sent.get(1).answer("done");
        sent.get(1).fail(StatusCode.UNAVAILABLE);
        assertThat(call).isCompletedWithValue("done");
        time.advance(DEADLINE);
        assertThat(sent).hasSize(2);
        assertThat(events).hasSize(2);
        idle();
    }

    @Test
    void callsAboutOneVolumeAreSentOneAfterAnother() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> second = begin(retries.with(RetryOptions.none()), STATS);
        CompletableFuture<String> third = begin(UNPUBLISH);
        CompletableFuture<String> other = begin(PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "w", "/1"));
        assertThat(sent).extracting(each -> each.call.subject()).containsExactly("v", "w");
        assertThat(time.timers()).as("the limits of the two waits").isEqualTo(2);

        time.advance(Duration.ofSeconds(4));
        sent.get(0).answer("first");
        assertThat(first).isCompletedWithValue("first");
        assertThat(sent).hasSize(3);
        assertThat(sent.get(2).call).isEqualTo(STATS);
        assertThat(sent.get(2).limit).isEqualTo(Duration.ofSeconds(6));
        assertThat(time.timers()).isEqualTo(1);

        time.advance(Duration.ofSeconds(1));
        sent.get(2).answer("second");
        assertThat(second).isCompletedWithValue("second");
        assertThat(sent.get(3).call).isEqualTo(UNPUBLISH);
        sent.get(3).answer("third");
        assertThat(third).isCompletedWithValue("third");
        sent.get(1).answer("other");
        assertThat(other).isCompletedWithValue("other");
        assertThat(events)
                .as("the wait does not count")
                .containsExactly(
                        event(PUBLISH.rpc(), StatusCode.OK, 1, Duration.ofSeconds(4), null),
                        event(STATS.rpc(), StatusCode.OK, 1, Duration.ofSeconds(1), null),
                        event(UNPUBLISH.rpc(), StatusCode.OK, 1, Duration.ZERO, null),
                        event(PUBLISH.rpc(), StatusCode.OK, 1, Duration.ofSeconds(5), null));
        idle();
    }

    @Test
    void callsWithoutSubjectOrOrderAreSentAtOnce() {
        var unused = List.of(begin(PROBE), begin(PROBE), begin(PlainCall.of(Rpc.PROBE, "v", "")));
        assertThat(sent).hasSize(3);
        CallRetries unordered = retries(VolumeOrder.unordered());
        unused = List.of(begin(unordered, PUBLISH), begin(unordered, PUBLISH));
        assertThat(sent).hasSize(5);
        assertThat(unordered.queues().size()).isZero();
        idle();
    }

    @Test
    void waitingCallFailsAtItsDeadlineAndIsNeverSent() {
        CompletableFuture<String> first = begin(PUBLISH);
        time.advance(Duration.ofSeconds(3));
        CompletableFuture<String> second = begin(UNSTAGE);
        time.advance(DEADLINE.minusNanos(1));
        assertThat(second).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertThat(callFailure(second))
                .hasMessage("NodeUnstageVolume for v at /s at plugin ebs was not sent (DEADLINE_EXCEEDED): it waited"
                        + " 10.0 s for its turn (R26), behind NodePublishVolume for v at /1 which is still under way."
                        + " Call again, or give it more time.");
        assertThat(callFailure(second).outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(callFailure(second).volume()).contains("v");
        sent.get(0).answer("first");
        assertThat(first).isCompleted();
        assertThat(sent).hasSize(1);
        idle();
    }

    @Test
    void callWhoseDeadlinePassedWhenItsTurnComesIsNotSent() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> late = begin(UNSTAGE);
        ahead = DEADLINE.toNanos();
        CompletableFuture<String> third = begin(STATS);
        sent.get(0).answer("first");
        assertThat(first).isCompleted();
        assertThat(callFailure(late))
                .hasMessageContaining("was not sent (DEADLINE_EXCEEDED): it waited 10.0 s for its turn (R26). Call");
        assertThat(third).isNotDone();
        assertThat(sent).extracting(each -> each.call).containsExactly(PUBLISH, STATS);
        sent.get(1).answer("third");
        idle();
    }

    @Test
    void callWhoseTurnComesJustBeforeItsDeadlineIsSent() {
        var first = begin(PUBLISH);
        CompletableFuture<String> late = begin(UNSTAGE);
        ahead = DEADLINE.toNanos() - 1;
        sent.get(0).answer("first");
        assertThat(first).isCompleted();
        assertThat(late).isNotDone();
        assertThat(sent.get(1).limit).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void callCancelledWhileWaitingIsNeverSent() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> second = begin(UNSTAGE);
        CompletableFuture<String> third = begin(STATS);
        second.cancel(false);
        assertThat(time.timers()).as("the limit of the wait of the third call").isEqualTo(1);
        sent.get(0).answer("first");
        assertThat(first).isCompleted();
        assertThat(sent).extracting(each -> each.call).containsExactly(PUBLISH, STATS);
        sent.get(1).answer("third");
        assertThat(third).isCompletedWithValue("third");
        idle();
    }

    @Test
    void queueStaysOccupiedUntilCancelledAttemptHasEnded() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> unstage = begin(UNSTAGE);
        CompletableFuture<String> stats = begin(STATS);
        first.cancel(false);
        assertThat(sent.get(0).cancelled).isTrue();
        assertThat(sent).hasSize(1);
        time.advance(Duration.ofSeconds(2));

        sent.get(0).fail(StatusCode.CANCELLED);
        assertThat(events).containsExactly(event(PUBLISH.rpc(), StatusCode.CANCELLED, 1, Duration.ofSeconds(2), null));
        assertThat(callFailure(unstage))
                .hasMessage(
                        "NodeUnstageVolume for v at /s at plugin ebs was not sent (ABORTED): NodePublishVolume for v"
                                + " at /1 ended 0.0 s ago without a definite answer and may take effect yet (R30). Repeat that"
                                + " one with the same fields, or undo it with NodeUnpublishVolume; then call again.");
        assertThat(sent).extracting(each -> each.call).containsExactly(PUBLISH, STATS);
        sent.get(1).answer("stats");
        assertThat(stats).isCompletedWithValue("stats");
        assertThat(retries.unresolved()).hasSize(1);
        assertThat(time.timers()).isZero();
    }

    @Test
    void secondEndOfCancelledAttemptDoesNotFreeQueue() {
        CompletableFuture<String> first = begin(PUBLISH);
        first.cancel(false);
        sent.get(0).fail(StatusCode.CANCELLED);
        var second = begin(STATS);
        CompletableFuture<String> third = begin(STATS);
        sent.get(0).answer("late");
        assertThat(sent).as("the third call still waits").hasSize(2);
        sent.get(1).answer("second");
        assertThat(second).isCompleted();
        sent.get(2).answer("third");
        assertThat(third).isCompletedWithValue("third");
        assertThat(retries.unresolved()).hasSize(1);
    }

    @Test
    void callCancelledJustBeforeItsTurnIsNotSentAndFreesQueue() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> second = begin(UNSTAGE);
        CompletableFuture<String> third = begin(STATS);
        sent.get(0).listener.answered("first");
        assertThat(first).isCompleted();
        second.cancel(false);
        time.advance(Duration.ZERO);
        assertThat(sent).extracting(each -> each.call).containsExactly(PUBLISH, STATS);
        sent.get(1).answer("third");
        assertThat(third).isCompletedWithValue("third");
        idle();
    }

    @Test
    void callWithoutQueueIsCancelled() {
        assertThat(begin(PROBE).cancel(false)).isTrue();
        assertThat(sent.get(0).cancelled).isTrue();
    }

    /** A timer that is closed runs its tasks at once. */
    @Test
    void callThatHasToWaitFailsAtOnceIfTimerIsClosed() {
        List<String> cancelled = new ArrayList<>();
        CallRetries closing = new CallRetries(
                CallRules.defaults(),
                VolumeOrder.oneAtATime(),
                new RetryEnvironment(
                        time::nanoTime,
                        (delay, task) -> {
                            task.run();
                            return () -> cancelled.add("timer");
                        },
                        () -> closed,
                        Optional.empty()),
                LONGEST);
        var first = begin(closing, PUBLISH);
        assertThat(first).isNotDone();
        closed = true;
        assertThat(callFailure(begin(closing, UNSTAGE))).hasMessageContaining("the client was closed");
        assertThat(cancelled).containsExactly("timer");
    }

    @Test
    void responseToCancelledAttemptFreesQueue() {
        CompletableFuture<String> first = begin(PUBLISH);
        CompletableFuture<String> second = begin(UNSTAGE);
        first.cancel(false);
        sent.get(0).answer("too late");
        assertThat(first).isCancelled();
        assertThat(sent.get(1).call).isEqualTo(UNSTAGE);
        sent.get(1).answer("second");
        assertThat(second).isCompletedWithValue("second");
        assertThat(events)
                .containsExactly(
                        event(PUBLISH.rpc(), StatusCode.OK, 1, Duration.ZERO, null),
                        event(UNSTAGE.rpc(), StatusCode.OK, 1, Duration.ZERO, null));
        idle();
    }

    @Test
    void callCancelledDuringBackoffIsNotSentAgainAndFreesQueue() {
        CompletableFuture<String> first = begin(PUBLISH);
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        CompletableFuture<String> second = begin(PUBLISH);
        first.cancel(false);
        time.advance(Duration.ZERO);
        assertThat(sent).as("the repeated call").hasSize(2);
        sent.get(1).answer("second");
        assertThat(second).isCompletedWithValue("second");
        time.advance(DEADLINE);
        assertThat(sent).hasSize(2);
        assertThat(retries.unresolved()).isEmpty();
        idle();
    }

    @Test
    void attemptThatIsCancelledWhileItIsSentIsCancelledAtPlugin() {
        CompletableFuture<String> call = begin(PUBLISH);
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        sending = () -> call.cancel(false);
        time.advance(Duration.ofMillis(100));
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1).cancelled).isTrue();
        sent.get(1).fail(StatusCode.CANCELLED);
        assertThat(retries.unresolved()).hasSize(1);
        assertThat(events).hasSize(2);
        time.advance(DEADLINE);
        assertThat(sent).hasSize(2);
    }

    @Test
    void callerThatCompletesFutureCancelsCall() {
        CompletableFuture<String> completed = begin(PUBLISH);
        assertThat(completed.complete("by the caller")).isTrue();
        assertThat(completed.complete("again")).isFalse();
        CompletableFuture<String> failed = begin(PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "w", "/1"));
        assertThat(failed.completeExceptionally(new IllegalStateException("timeout")))
                .isTrue();
        assertThat(failed.completeExceptionally(new IllegalStateException("again")))
                .isFalse();
        assertThat(sent).allMatch(each -> each.cancelled);
    }

    @Test
    void futureThatIsCancelledAfterEndOfCallHasNoEffect() {
        CompletableFuture<String> done = begin(PUBLISH);
        sent.get(0).answer("done");
        CompletableFuture<String> failed = begin(PUBLISH);
        sent.get(1).fail(StatusCode.NOT_FOUND);
        assertThat(done.cancel(false)).isFalse();
        assertThat(failed.cancel(false)).isFalse();
        assertThat(done.complete("other")).isFalse();
        assertThat(sent).noneMatch(each -> each.cancelled);
        assertThat(done).isCompletedWithValue("done");
    }

    @Test
    void callOfClosedClientIsNotSent() {
        closed = true;
        CompletableFuture<String> call = begin(PUBLISH);
        assertThat(callFailure(call))
                .hasMessage(
                        "NodePublishVolume for v at /1 at plugin ebs was not sent (CANCELLED): the client was closed"
                                + " before it. Call again with another client.");
        assertThat(sent).isEmpty();
        assertThat(events).isEmpty();
        idle();
    }

    @Test
    void closedClientFailsWaitingCallsWhenItsTimerRunsTheirLimits() {
        var first = begin(PUBLISH);
        CompletableFuture<String> second = begin(UNSTAGE);
        closed = true;
        time.advance(DEADLINE);
        assertThat(first).isNotDone();
        assertThat(callFailure(second)).hasMessageContaining("was not sent (CANCELLED): the client was closed before");
        sent.get(0).answer("first");
        assertThat(sent).hasSize(1);
        idle();
    }

    @Test
    void closedClientFailsCallInBackoffWithUnknownOutcome() {
        CompletableFuture<String> call = begin(PUBLISH);
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        time.advance(Duration.ofMillis(100));
        sent.get(1).fail(StatusCode.UNAVAILABLE);
        closed = true;
        time.advance(Duration.ofSeconds(1));
        assertThat(sent).hasSize(2);
        assertThat(callFailure(call).code()).isEqualTo(StatusCode.CANCELLED);
        assertThat(callFailure(call).outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(callFailure(call)).hasMessageContaining("It was tried 2 times within 0.3 s.");
        assertThat(retries.unresolved()).hasSize(1);
    }

    @Test
    void repeatedCallThatIsRefusedHasUnknownOutcomeAndFreesVolume() {
        CompletableFuture<String> first = begin(PUBLISH);
        time.advance(Duration.ofSeconds(9));
        sent.get(0).fail(StatusCode.UNAVAILABLE);
        callFailure(first);
        time.advance(Duration.ofSeconds(3));
        assertThat(retries.unresolved())
                .singleElement()
                .satisfies(left -> assertThat(left.age()).isEqualTo(Duration.ofSeconds(3)));
        assertThat(callFailure(begin(UNSTAGE))).hasMessageContaining("ended 3.0 s ago");

        CompletableFuture<String> repeated = begin(PUBLISH);
        sent.get(1).fail(StatusCode.NOT_FOUND);
        assertThat(callFailure(repeated).outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(retries.unresolved()).isEmpty();
        CompletableFuture<String> fresh = begin(PUBLISH);
        sent.get(2).fail(StatusCode.NOT_FOUND);
        assertThat(callFailure(fresh).outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        idle();
    }

    @Test
    void undoneCallFreesVolumeOnlyIfUndoingSucceeds() {
        var unused = begin(PUBLISH);
        sent.get(0).fail(PUBLISH.failure(StatusCode.INTERNAL), true, false);
        CompletableFuture<String> refused = begin(UNPUBLISH);
        sent.get(1).fail(StatusCode.NOT_FOUND);
        assertThat(callFailure(refused).outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(retries.unresolved()).hasSize(1);
        var undone = begin(UNPUBLISH);
        sent.get(2).answer("undone");
        assertThat(undone).isCompleted();
        assertThat(retries.unresolved()).isEmpty();
        idle();
    }

    @Test
    void successOfOtherCallKeepsVolumeBlocked() {
        PlainCall expand = PlainCall.of(Rpc.NODE_EXPAND_VOLUME, "v", "/1");
        var unused = begin(expand);
        sent.get(0).fail(expand.failure(StatusCode.INTERNAL), true, false);
        unused = begin(UNSTAGE);
        sent.get(1).answer("unstaged");
        unused = begin(UNPUBLISH);
        sent.get(2).fail(StatusCode.NOT_FOUND);
        assertThat(retries.unresolved()).hasSize(1);
        retries.forget("w");
        assertThat(retries.unresolved()).hasSize(1);
        retries.forget("v");
        assertThat(retries.unresolved()).isEmpty();
        idle();
    }

    @Test
    void volumeIsBlockedForBlockTime() {
        CallRetries ordered = retries(VolumeOrder.oneAtATime().blockTime(Duration.ofMinutes(2)));
        var unused = begin(ordered, PUBLISH);
        sent.get(0).fail(PUBLISH.failure(StatusCode.INTERNAL), true, false);
        time.advance(Duration.ofMinutes(2).minusNanos(1));
        callFailure(begin(ordered, UNSTAGE));
        assertThat(ordered.unresolved()).hasSize(1);
        time.advance(Duration.ofNanos(1));
        assertThat(ordered.unresolved()).isEmpty();
        var later = begin(ordered, UNSTAGE);
        assertThat(sent).hasSize(2);
        sent.get(1).answer("unstaged");
        assertThat(later).isCompleted();
        assertThat(ordered.queues().size()).isZero();
    }

    @Test
    void queueWithoutCallsIsUnknown() {
        QueueKey key = new QueueKey(RpcService.NODE, Rpc.Subject.VOLUME, "v");
        assertThat(retries.queues().currently(key)).isEmpty();
        assertThatThrownBy(() -> retries.queues().leave(key, PUBLISH, QueueExit.DONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no call is in the queue of NodePublishVolume for v at /1");
    }

    @Test
    void streamIsObservedOnlyIfThereIsAnObserver() {
        Reader subscriber = new Reader();
        CallRetries unobserved = new CallRetries(
                CallRules.defaults(),
                VolumeOrder.unordered(),
                new RetryEnvironment(time::nanoTime, time, () -> false, Optional.empty()),
                LONGEST);
        assertThat((Object) unobserved.observed(PROBE, "ebs", subscriber)).isSameAs(subscriber);
        assertThat((Object) retries.observed(PROBE, "ebs", subscriber)).isNotSameAs(subscriber);
    }

    /** A subscriber that records its signals. */
    private static final class Reader implements Flow.Subscriber<String> {
        final List<String> signals = new ArrayList<>();
        Flow.@Nullable Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            signals.add("begun");
        }

        @Override
        public void onNext(String item) {
            signals.add(item);
        }

        @Override
        public void onError(Throwable failure) {
            signals.add("failed");
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }
    }

    /** The subscription of a stream; records what arrives at it. */
    private static final class Plugin implements Flow.Subscription {
        final List<String> signals = new ArrayList<>();

        @Override
        public void request(long n) {
            signals.add("request " + n);
        }

        @Override
        public void cancel() {
            signals.add("cancel");
        }
    }

    @Test
    void endOfStreamIsObservedOnceAsOneAttempt() {
        Reader reader = new Reader();
        Plugin plugin = new Plugin();
        Flow.Subscriber<? super String> complete = retries.observed(PROBE, "ebs", reader);
        ((Flow.Subscription) complete).request(1);
        assertThat(plugin.signals).isEmpty();
        complete.onSubscribe(plugin);
        assertThat(reader.subscription).isNotNull();
        reader.subscription.request(3);
        complete.onNext("one");
        time.advance(Duration.ofSeconds(2));
        complete.onComplete();
        reader.subscription.cancel();
        assertThat(reader.signals).containsExactly("begun", "one", "complete");
        assertThat(plugin.signals).containsExactly("request 3", "cancel");
        assertThat(events).containsExactly(event(PROBE.rpc(), StatusCode.OK, 1, Duration.ofSeconds(2), null));

        events.clear();
        Flow.Subscriber<? super String> failed = retries.observed(PROBE, "ebs", reader);
        failed.onSubscribe(plugin);
        failed.onError(PROBE.failure(StatusCode.NOT_FOUND));
        failed.onComplete();
        assertThat(reader.signals).endsWith("begun", "failed", "complete");
        assertThat(events).containsExactly(event(PROBE.rpc(), StatusCode.NOT_FOUND, 1, Duration.ZERO, null));

        events.clear();
        Flow.Subscriber<? super String> cancelled = retries.observed(PROBE, "ebs", reader);
        cancelled.onSubscribe(plugin);
        reader.subscription.cancel();
        cancelled.onError(PROBE.failure(StatusCode.NOT_FOUND));
        assertThat(events).containsExactly(event(PROBE.rpc(), StatusCode.CANCELLED, 1, Duration.ZERO, null));
    }

    @Test
    void failingObserverDoesNotFailCall() {
        CallRetries observed = new CallRetries(
                CallRules.defaults(),
                VolumeOrder.unordered(),
                new RetryEnvironment(time::nanoTime, time, () -> false, Optional.of(event -> {
                    throw new NoClassDefFoundError("of the metrics");
                })),
                LONGEST);
        CompletableFuture<String> call = begin(observed, PUBLISH);
        sent.get(0).answer("done");
        assertThat(call).isCompletedWithValue("done");
    }

    @Test
    void durationOfAttemptIsNeverNegative() {
        CompletableFuture<String> call = begin(PUBLISH);
        ahead = -5;
        sent.get(0).answer("done");
        assertThat(call).isCompletedWithValue("done");
        assertThat(events).containsExactly(event(PUBLISH.rpc(), StatusCode.OK, 1, Duration.ZERO, null));
    }
}
