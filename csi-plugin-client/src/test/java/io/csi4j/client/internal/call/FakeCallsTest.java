package io.csi4j.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.retry.AttemptListener;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attempts, responses and streams over a channel without a network. */
class FakeCallsTest {
    private static final GetMetadataAllocatedRequest REQUEST = GetMetadataAllocatedRequest.getDefaultInstance();
    private static final RpcCall<GetMetadataAllocatedRequest, GetMetadataAllocatedResponse> CALL = RpcCall.about(
            "snap-1",
            Rpc.GET_METADATA_ALLOCATED,
            SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
            REQUEST,
            SensitiveValues::none);
    private static final Status LOST = Status.UNAVAILABLE.withDescription("lost");
    private static final Status REJECTED = LOST.withCause(new IOException("an earlier connect failed"));

    private final VirtualTime time = VirtualTime.inOrder();
    private final FakeChannel channel = new FakeChannel(time);
    private final Calls calls = new Calls(
            channel.connection,
            new StatusMapper("ebs", Endpoint.loopback("tcp://127.0.0.1:9"), CallRules.defaults(), 1_000),
            CallDeadlines.ofDefaults().withAll(Duration.ofSeconds(10)),
            time::nanoTime);
    /** Whether a call of the test stays in flight, so that the connection keeps its threads. */
    private boolean inFlight;

    /** Each call that has ended has released the threads of the connection, once. */
    @AfterEach
    void threadsAreReleasedWithLastCall() {
        assertThat(channel.released).isZero();
        channel.connection.close();
        assertThat(channel.released).isEqualTo(inFlight ? 0 : 1);
    }

    private static GetMetadataAllocatedResponse message(long number) {
        return GetMetadataAllocatedResponse.newBuilder()
                .setVolumeCapacityBytes(number)
                .build();
    }

    /** The end of an attempt, as its listener gets it. */
    private record End(@Nullable Long answer, @Nullable Throwable failure, boolean sent, boolean repeatable) {
        StatusCode code() {
            assertThat(failure).isInstanceOf(CsiCallException.class);
            return ((CsiCallException) failure).code();
        }
    }

    private final List<End> ends = new ArrayList<>();

    private Cancellable send() {
        return send(GetMetadataAllocatedResponse::getVolumeCapacityBytes);
    }

    private Cancellable send(Function<GetMetadataAllocatedResponse, Long> decoder) {
        return calls.send(CALL, decoder, TimeUnit.MINUTES.toNanos(1), new AttemptListener<Long>() {
            @Override
            public void answered(Long answer) {
                ends.add(new End(answer, null, true, false));
            }

            @Override
            public void failed(Throwable failure, boolean sent, boolean repeatable) {
                ends.add(new End(null, failure, sent, repeatable));
            }
        });
    }

    private End end() {
        assertThat(ends).hasSize(1);
        return ends.get(0);
    }

    @Test
    void requestIsSentOutsideOfCallersContextAndResponseIsDecoded() {
        Context mine = Context.current().withValue(Context.key("mine"), "value");
        mine.run(() -> {
            var unused = send();
            assertThat(Context.current()).isSameAs(mine);
        });
        FakeChannel.Call call = channel.last();
        assertThat(call.context).isSameAs(Context.ROOT);
        assertThat(call.sent).containsExactly(REQUEST);
        assertThat(call.halfClosed).isTrue();
        assertThat(call.requests).containsExactly(2);
        assertThat(call.options.getDeadline().timeRemaining(TimeUnit.SECONDS)).isBetween(30L, 60L);
        call.message(message(7)).answer(Status.OK);
        assertThat(end().answer()).isEqualTo(7);
        assertThat(call.cancellations).isEmpty();
    }

    @Test
    void responseThatIsMissingOrRepeatedIsUnusable() {
        var unused = send();
        channel.last().answer(Status.OK);
        assertThat(end().failure()).hasMessageContaining("cannot be used: it is missing");
        assertThat(end().sent()).isTrue();
        assertThat(end().repeatable()).isFalse();
        ends.clear();
        unused = send();
        channel.last().message(message(1)).message(message(2)).answer(Status.OK);
        assertThat(end().failure()).hasMessageContaining("cannot be used: there is more than one");
    }

    @Test
    void undecodableResponseIsUnusable() {
        var unused = send(response -> {
            throw new UnusableAnswerException("volumeCapacityBytes", "is odd");
        });
        channel.last().message(message(1)).answer(Status.OK);
        assertThat(end().failure()).hasMessageContaining("cannot be used: volumeCapacityBytes is odd");
        assertThat(end().sent()).isTrue();
        assertThat(end().repeatable()).isFalse();
    }

    @Test
    void failureSaysWhetherAttemptWasSentAndMayBeRepeated() {
        var unused = send();
        channel.last().answer(Status.NOT_FOUND);
        assertThat(end().code()).isEqualTo(StatusCode.NOT_FOUND);
        assertThat(end().sent()).isTrue();
        assertThat(end().repeatable()).isTrue();

        ends.clear();
        unused = send();
        channel.last().answer(Status.RESOURCE_EXHAUSTED);
        assertThat(end().repeatable()).as("refused by the plugin").isTrue();

        ends.clear();
        unused = send();
        channel.last()
                .written()
                .close(Status.RESOURCE_EXHAUSTED.withDescription("gRPC message exceeds maximum size 1000: 2000"));
        assertThat(end().code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(end().repeatable()).as("too large").isFalse();

        ends.clear();
        unused = send();
        channel.last().close(Status.DEADLINE_EXCEEDED);
        assertThat(end().sent()).isFalse();
        assertThat(end().failure()).hasMessageContaining("within 1 min");
    }

    @Test
    void unsentCallIsTriedThreeTimes() {
        var unused = send();
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(channel.calls).hasSize(attempt);
            assertThat(channel.last().sent).containsExactly(REQUEST);
            assertThat(ends).isEmpty();
            channel.last().close(LOST);
        }
        assertThat(channel.calls).hasSize(3);
        assertThat(end().code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(end().sent()).isFalse();
        assertThat(end().repeatable()).isTrue();
    }

    @Test
    void callIsNotRestartedAfterItWasSentOrAnsweredOrForOtherStatus() {
        var unused = send();
        channel.last().written().close(LOST);
        assertThat(end().sent()).isTrue();
        unused = send();
        channel.last().answer(LOST);
        unused = send();
        channel.last().close(Status.INTERNAL);
        assertThat(channel.calls).hasSize(3);
        assertThat(ends).hasSize(3);
    }

    @Test
    void callIsRestartedUnlessConnectHasFailedSinceItsBegin() {
        var unused = send();
        channel.connects.incrementAndGet();
        channel.last().close(LOST);
        assertThat(channel.calls).as("the connection is up again").hasSize(2);
        channel.connects.incrementAndGet();
        channel.state = ConnectivityState.TRANSIENT_FAILURE;
        channel.last().close(LOST);
        assertThat(channel.calls).hasSize(2);
        assertThat(end().code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(channel.idled).as("the next call connects at once").isZero();
        unused = send();
        assertThat(channel.idled).isEqualTo(1);
        channel.last().answer(Status.NOT_FOUND);
    }

    @Test
    void callThatBackoffHasRejectedIsRestartedAfterBackoff() {
        var unused = send();
        channel.last().close(REJECTED);
        assertThat(channel.calls).hasSize(1);
        assertThat(channel.idled).isEqualTo(1);
        assertThat(channel.waiting).hasSize(1);
        channel.waiting.get(0).run();
        assertThat(channel.calls).hasSize(2);
        channel.connects.incrementAndGet();
        channel.last().close(REJECTED);
        assertThat(channel.calls)
                .as("a connect was tried, so there is no backoff")
                .hasSize(3);
        channel.last().message(message(1)).answer(Status.OK);
        assertThat(end().answer()).isEqualTo(1);
    }

    @Test
    void callOfClosedConnectionIsNotRestarted() {
        var unused = send();
        channel.connection.retire();
        assertThat(channel.released).isZero();
        channel.last().close(LOST);
        assertThat(channel.calls).hasSize(1);
        assertThat(end().failure()).hasMessageContaining("the client was closed while the call was in flight");
        assertThat(channel.released).isEqualTo(1);
        channel.released = 0;
        inFlight = true;
    }

    @Test
    void cancelledCallIsCancelledOnceAndNotRestarted() {
        Cancellable call = send();
        call.cancel();
        assertThat(channel.last().cancellations).containsExactly("the caller no longer waits");
        channel.last().close(LOST);
        assertThat(channel.calls).hasSize(1);
        assertThat(end().code()).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void callCancelledBetweenTwoAttemptsCancelsSecondAttempt() {
        Cancellable call = send();
        channel.last().close(REJECTED);
        call.cancel();
        channel.waiting.get(0).run();
        assertThat(channel.calls).hasSize(2);
        assertThat(channel.last().cancellations).containsExactly("the caller no longer waits");
        channel.last().close(Status.CANCELLED);
        assertThat(end().code()).isEqualTo(StatusCode.CANCELLED);
    }

    @Test
    void callThatCannotBeStartedOrSentFailsOnce() {
        channel.unstartable = new NoClassDefFoundError("of the call");
        var unused = send();
        assertThat(end()).isEqualTo(new End(null, channel.unstartable, true, false));
        assertThat(channel.last().requests).isEmpty();

        ends.clear();
        channel.unstartable = null;
        channel.unsendable = new NoClassDefFoundError("of the message");
        unused = send();
        assertThat(channel.last().cancellations).containsExactly("the request could not be sent");
        assertThat(channel.last().halfClosed).isFalse();
        channel.last().close(Status.CANCELLED);
        assertThat(end()).isEqualTo(new End(null, channel.unsendable, true, false));
    }

    @Test
    void errorOfDecoderFailsCall() {
        NoClassDefFoundError fault = new NoClassDefFoundError("of the decoder");
        var unused = send(response -> {
            throw fault;
        });
        channel.last().message(message(1)).answer(Status.OK);
        assertThat(end()).isEqualTo(new End(null, fault, true, false));
    }

    @Test
    void closedClientRefusesCalls() {
        calls.mustBeOpen();
        channel.connection.close();
        assertThatThrownBy(calls::mustBeOpen)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the client of ebs at tcp://127.0.0.1:9 is closed; make a new one");
        Reader reader = subscribe();
        assertThat(reader.failure).isInstanceOf(IllegalStateException.class);
        assertThat(channel.calls).isEmpty();
        channel.released = 0;
        inFlight = true;
    }

    /** A subscriber that requests messages only when the test does. */
    private static class Reader implements Flow.Subscriber<Long> {
        private Flow.@Nullable Subscription subscription;
        /** The number of messages that are requested before the stream begins. */
        private final long early;

        final List<Long> received = new ArrayList<>();

        @Nullable RuntimeException fault;

        @Nullable Throwable failure;

        boolean complete;

        Reader(long early) {
            this.early = early;
        }

        Flow.Subscription stream() {
            assertThat(subscription).isNotNull();
            return subscription;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            assertThat(subscription).isNull();
            subscription = given;
            if (early > 0) {
                given.request(early);
            }
        }

        @Override
        public void onNext(Long number) {
            assertThat(ended()).isFalse();
            received.add(number);
            if (fault != null) {
                throw fault;
            }
        }

        @Override
        public void onError(Throwable reason) {
            assertThat(ended()).isFalse();
            failure = reason;
        }

        @Override
        public void onComplete() {
            assertThat(ended()).isFalse();
            complete = true;
        }

        boolean ended() {
            return complete || failure != null;
        }

        StatusCode code() {
            assertThat(failure).isInstanceOf(CsiCallException.class);
            return ((CsiCallException) failure).code();
        }
    }

    private Reader subscribe() {
        return subscribe(0, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
    }

    private Reader subscribe(long early, Function<GetMetadataAllocatedResponse, Long> decoder) {
        Reader reader = new Reader(early);
        calls.stream(CALL, decoder, reader);
        return reader;
    }

    private void seconds(double seconds) {
        time.advance(Duration.ofNanos(Math.round(seconds * 1e9)));
    }

    @Test
    void streamRequestsOnlyWhatSubscriberRequests() {
        Reader reader = subscribe(2, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        FakeChannel.Call call = channel.last();
        assertThat(call.options.getDeadline()).isNull();
        assertThat(call.requests).containsExactly(2);
        call.written().message(message(1));
        reader.stream().request(3);
        assertThat(call.requests).containsExactly(2, 3);
        call.message(message(2)).message(message(3));
        assertThat(reader.received).containsExactly(1L, 2L, 3L);
        assertThat(reader.ended()).isFalse();
        call.answer(Status.OK);
        assertThat(reader.complete).isTrue();
        assertThat(channel.timers()).isZero();
        assertThat(call.cancellations).isEmpty();
    }

    @Test
    void unlimitedDemandIsRequestedInParts() {
        Reader reader = subscribe();
        reader.stream().request(Long.MAX_VALUE);
        reader.stream().request(Long.MAX_VALUE);
        assertThat(channel.last().requests).containsExactly(Integer.MAX_VALUE);
        channel.last().message(message(1)).message(message(2));
        assertThat(channel.last().requests).containsExactly(Integer.MAX_VALUE, 1, 1);
        channel.last().answer(Status.OK);
    }

    @Test
    void silenceIsMeasuredFromLastMessageOrFirstDemand() {
        Reader reader = subscribe();
        seconds(14);
        reader.stream().request(2);
        seconds(9);
        channel.last().written().message(message(1));
        seconds(3);
        reader.stream().request(1);
        seconds(6.999);
        assertThat(channel.last().cancellations).isEmpty();
        seconds(0.001);
        assertThat(channel.last().cancellations).containsExactly("this side gave the stream up");
        assertThat(reader.failure).isNull();
        channel.last().message(message(2));
        assertThat(reader.received).containsExactly(1L);
        channel.last().close(Status.CANCELLED);
        assertThat(reader.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(reader.failure).hasMessageContaining("has not answered within 10 s");
        assertThat(channel.timers()).isZero();
    }

    @Test
    void slowSubscriberIsNoSilence() {
        Reader reader = subscribe(1, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        channel.last().message(message(1));
        seconds(1_000);
        assertThat(channel.last().cancellations).isEmpty();
        assertThat(channel.timers()).isEqualTo(1);
        reader.stream().request(1);
        seconds(9.999);
        assertThat(channel.last().cancellations).isEmpty();
        seconds(0.001);
        assertThat(channel.last().cancellations).hasSize(1);
        channel.last().close(Status.CANCELLED);
    }

    @Test
    void cancelledStreamIgnoresFurtherEvents() {
        Reader reader = subscribe(5, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        reader.stream().cancel();
        assertThat(channel.last().cancellations).hasSize(1);
        reader.stream().cancel();
        assertThat(channel.last().cancellations).containsExactly("the subscriber cancelled");
        assertThat(channel.timers()).isZero();
        reader.stream().request(1);
        reader.stream().request(0);
        channel.last().message(message(1));
        channel.last().close(Status.CANCELLED);
        assertThat(channel.last().requests).containsExactly(5);
        assertThat(channel.last().cancellations).hasSize(1);
        assertThat(reader.received).isEmpty();
        assertThat(reader.ended()).isFalse();
    }

    @Test
    void streamThatIsCancelledAtOnceSendsNothing() {
        Reader reader = new Reader(0) {
            @Override
            public void onSubscribe(Flow.Subscription given) {
                given.cancel();
            }
        };
        calls.stream(CALL, GetMetadataAllocatedResponse::getVolumeCapacityBytes, reader);
        assertThat(channel.timers()).isZero();
        assertThat(channel.calls).allSatisfy(call -> assertThat(call.sent).isEmpty());
        assertThat(reader.ended()).isFalse();
    }

    @Test
    void refusedStreamFailsUnlessItWasCancelled() {
        IllegalStateException reason = new IllegalStateException("refused");
        Reader reader = new Reader(1);
        RefusedStream.begin(reader, reason);
        assertThat(reader.stream()).isNotNull();
        assertThat(reader.failure).isSameAs(reason);
        Reader cancelled = new Reader(0) {
            @Override
            public void onSubscribe(Flow.Subscription given) {
                super.onSubscribe(given);
                given.cancel();
            }
        };
        RefusedStream.begin(cancelled, reason);
        assertThat(cancelled.stream()).isNotNull();
        assertThat(cancelled.ended()).isFalse();
    }

    @Test
    void requestBelowOneFailsStreamWhenCallHasEnded() {
        Reader reader = subscribe();
        reader.stream().request(0);
        reader.stream().request(-1);
        assertThat(channel.last().cancellations).hasSize(1);
        assertThat(reader.ended()).isFalse();
        channel.last().close(LOST);
        assertThat(channel.calls).hasSize(1);
        assertThat(reader.failure)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("request: 0 messages were asked for; ask for at least one");
    }

    @Test
    void unusableMessageOrFailingSubscriberEndsStreamAtOnce() {
        Reader undecodable = subscribe(2, response -> {
            throw new UnusableAnswerException("volumeCapacityBytes", "is odd");
        });
        channel.last().message(message(1));
        assertThat(undecodable.failure).hasMessageContaining("cannot be used: volumeCapacityBytes is odd");
        assertThat(channel.last().cancellations).containsExactly("the stream ended at this side");
        channel.last().close(Status.CANCELLED);

        Reader failing = subscribe(2, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        failing.fault = new IllegalStateException("a bug in the subscriber");
        channel.last().message(message(1));
        channel.last().message(message(2));
        assertThat(failing.received).containsExactly(1L);
        assertThat(failing.failure).isSameAs(failing.fault);
        assertThat(channel.last().cancellations).containsExactly("the stream ended at this side");
        channel.last().close(Status.CANCELLED);
        assertThat(channel.timers()).isZero();
    }

    @Test
    void failedStreamReportsStatus() {
        Reader reader = subscribe(2, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        channel.last().message(message(1));
        channel.last().close(LOST);
        assertThat(channel.calls).as("a message was received").hasSize(1);
        assertThat(reader.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(channel.timers()).isZero();

        reader = subscribe();
        channel.last().written().close(Status.DEADLINE_EXCEEDED);
        assertThat(reader.failure).hasMessageContaining("within 10 s");
    }

    @Test
    void unsentStreamIsRestartedWithItsDemand() {
        Reader reader = subscribe(2, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        channel.last().close(LOST);
        assertThat(channel.calls).hasSize(2);
        assertThat(channel.last().requests).containsExactly(2);
        channel.last().close(REJECTED);
        assertThat(channel.calls).hasSize(2);
        reader.stream().request(3);
        assertThat(channel.last().requests).containsExactly(2);
        channel.waiting.get(0).run();
        assertThat(channel.last().requests).containsExactly(5);
        channel.last().message(message(1)).answer(Status.OK);
        assertThat(reader.received).containsExactly(1L);
        assertThat(reader.complete).isTrue();
    }

    @Test
    void silenceOfRestartedStreamIsMeasuredFromItsRestart() {
        Reader reader = subscribe(1, GetMetadataAllocatedResponse::getVolumeCapacityBytes);
        seconds(6);
        channel.last().close(LOST);
        seconds(9);
        assertThat(channel.last().cancellations).isEmpty();
        seconds(1);
        assertThat(channel.last().cancellations).hasSize(1);
        channel.last().close(Status.CANCELLED);
        assertThat(reader.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }

    @Test
    void streamGivenUpOrCancelledBetweenAttemptsIsNotContinued() {
        Reader wrong = subscribe();
        channel.last().close(REJECTED);
        wrong.stream().request(0);
        channel.waiting.get(0).run();
        assertThat(channel.calls).hasSize(2);
        assertThat(channel.last().cancellations).containsExactly("this side gave the stream up");
        channel.last().close(Status.CANCELLED);
        assertThat(wrong.failure).isInstanceOf(IllegalArgumentException.class);

        Reader cancelled = subscribe();
        channel.last().close(REJECTED);
        cancelled.stream().cancel();
        channel.waiting.get(1).run();
        assertThat(channel.last().sent).as("the last attempt is not sent").isEmpty();
        assertThat(cancelled.ended()).isFalse();
    }

    @Test
    void connectionSchedulesNothingAfterItsEndExceptForWaitingTasks() {
        List<String> run = new ArrayList<>();
        Cancellable dropped = channel.connection.later(() -> run.add("dropped"), 1_000);
        dropped.cancel();
        assertThat(channel.timers()).isZero();
        var unused = channel.connection.later(() -> run.add("on time"), 1_000);
        time.advance(Duration.ofNanos(1_000));
        assertThat(run).containsExactly("on time");
        unused = channel.connection.later(() -> run.add("at the end"), 1_000);
        channel.connection.close();
        assertThat(run).containsExactly("on time", "at the end");
        time.advance(Duration.ofNanos(1_000));
        assertThat(run).hasSize(2);
        assertThat(channel.connection.enter()).isFalse();
        unused = channel.connection.later(() -> run.add("late"), 1_000);
        assertThat(run).containsExactly("on time", "at the end", "late");
        channel.connection.afresh(() -> run.add("afresh"));
        assertThat(run).hasSize(4);
        assertThat(channel.released).isEqualTo(1);
        channel.released = 0;
        inFlight = true;
    }
}
