package io.csi4j.client.internal.call;

import io.csi4j.client.internal.transport.Connection;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call with a stream of messages for one subscriber. This class requests only as many messages as the subscriber
 * requested; gRPC's flow control therefore slows down a plugin that sends faster.
 *
 * <p>gRPC calls the listener's methods one after the other; the lock protects the state against the subscriber's threads and the timer.
 */
final class RpcStream<Q, A, R> extends ClientCall.Listener<A> implements Flow.Subscription {
    private static final String GIVEN_UP = "this side gave the stream up";

    private final Calls calls;
    private final RpcCall<Q, A> call;
    private final Function<? super A, ? extends R> decoder;
    private final Flow.Subscriber<? super R> subscriber;
    private final long silenceNanos;
    private final Object lock = new Object();

    private @Nullable CallAttempt<Q, A> attempt;
    private @Nullable ScheduledFuture<?> timer;
    /** The number of messages that the subscriber requested and this call has not yet requested from gRPC. */
    private long demand;
    /** The number of messages that this call has requested from gRPC and that have not arrived yet. */
    private int requested;

    private long waitingSince;
    private boolean received;
    /** Whether the stream is between two attempts: the last one has ended, and the next one has not begun. */
    private boolean between;
    /** The reason why this client ended the call; null if it did not. */
    private @Nullable Throwable givenUpFor;

    private boolean done;

    private RpcStream(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber) {
        this.calls = calls;
        this.call = call;
        this.decoder = decoder;
        this.subscriber = subscriber;
        this.silenceNanos = calls.deadline(call).toNanos();
    }

    static <Q, A, R> void begin(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        RpcStream<Q, A, R> stream = new RpcStream<>(calls, call, decoder, subscriber);
        subscriber.onSubscribe(stream);
        // Starts the stream only after onSubscribe, because the subscriber must not get another signal before
        // onSubscribe.
        stream.start();
    }

    private void start() {
        Connection connection = calls.connection();
        if (connection.isClosed()) {
            end(calls.closed());
            return;
        }
        send(CallAttempt.first(connection, call.method(), call.request(), calls.options()));
        synchronized (lock) {
            if (!done) {
                timer = connection.schedule(this::checkSilence, silenceNanos);
            }
        }
    }

    private void send(CallAttempt<Q, A> next) {
        synchronized (lock) {
            if (done) {
                return;
            }
            attempt = next;
            between = false;
            waitingSince = calls.elapsed().nanos();
            next.send(this, 0);
            if (givenUpFor == null) {
                pull();
            } else {
                next.cancel(GIVEN_UP);
            }
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            giveUp(new IllegalArgumentException("request: " + n + " messages were asked for; ask for at least one"));
            return;
        }
        synchronized (lock) {
            demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            pull();
        }
    }

    /**
     * Cancels the call for a reason that this client found. The subscriber gets the failure later, when gRPC reports
     * the end of the call, because the subscriber may be processing a message.
     */
    private void giveUp(Throwable reason) {
        synchronized (lock) {
            if (!done && givenUpFor == null) {
                givenUpFor = reason;
                if (attempt != null) {
                    attempt.cancel(GIVEN_UP);
                }
            }
        }
    }

    /**
     * Requests from gRPC the messages that the subscriber demands. Requests at most {@code Integer.MAX_VALUE} at once,
     * because gRPC accepts no larger number.
     */
    private void pull() {
        CallAttempt<Q, A> current = attempt;
        int more = (int) Math.min(demand, Integer.MAX_VALUE - requested);
        if (current == null || between || done || more == 0) {
            return;
        }
        if (requested == 0) {
            waitingSince = calls.elapsed().nanos();
        }
        demand -= more;
        requested += more;
        current.request(more);
    }

    @Override
    public void cancel() {
        synchronized (lock) {
            if (finish() && attempt != null) {
                attempt.cancel("the subscriber cancelled");
            }
        }
    }

    @Override
    public void onMessage(A message) {
        synchronized (lock) {
            if (done || givenUpFor != null) {
                return;
            }
            received = true;
            requested--;
            waitingSince = calls.elapsed().nanos();
            pull();
        }
        R decoded;
        try {
            decoded = decoder.apply(message);
        } catch (RuntimeException unusable) {
            abort(calls.failures().unusable(call, unusable));
            return;
        }
        try {
            subscriber.onNext(decoded);
        } catch (RuntimeException | Error fault) {
            abort(fault);
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        CallAttempt<Q, A> ended;
        Throwable reason;
        boolean restart;
        synchronized (lock) {
            if (attempt == null) {
                return;
            }
            ended = attempt;
            ended.ended();
            if (done) {
                return;
            }
            reason = givenUpFor;
            restart = reason == null && !received && ended.mayRestart(status);
            if (restart) {
                demand += requested;
                requested = 0;
                between = true;
            }
        }
        if (restart) {
            ended.restart(status, this::send);
        } else if (reason == null && !status.isOk()) {
            end(calls.failed(call, status, ended.trace(), Duration.ofNanos(silenceNanos)));
        } else {
            end(reason);
        }
    }

    /** Ends the stream at once with a failure that this client found, and cancels the call. */
    private void abort(Throwable failure) {
        boolean ended;
        synchronized (lock) {
            // Marks the stream as ended before the call is cancelled, so that gRPC's report of the cancellation does
            // not end the stream a second time.
            ended = finish();
            if (ended && attempt != null) {
                attempt.cancel("the stream ended at this side");
            }
        }
        if (ended) {
            subscriber.onError(failure);
        }
    }

    /** Handles the end of the stream. The failure is null if the plugin has ended the stream with OK. */
    private void end(@Nullable Throwable failure) {
        synchronized (lock) {
            if (!finish()) {
                return;
            }
        }
        if (failure == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(failure);
        }
    }

    /**
     * Marks the stream as ended. Returns true for the first caller, which then notifies the subscriber, and false for
     * all later callers.
     */
    private boolean finish() {
        if (done) {
            return false;
        }
        done = true;
        if (timer != null) {
            timer.cancel(false);
        }
        return true;
    }

    /** Ends the stream if the plugin has sent no message for too long although the subscriber requested one. */
    private void checkSilence() {
        synchronized (lock) {
            if (done || attempt == null) {
                return;
            }
            long left = silenceNanos;
            if (requested > 0) {
                left -= calls.elapsed().nanos() - waitingSince;
            }
            if (left <= 0) {
                giveUp(calls.silent(call, attempt.trace()));
            } else {
                timer = calls.connection().schedule(this::checkSilence, left);
            }
        }
    }
}
