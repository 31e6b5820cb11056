package io.csi4j.client.internal.call;

import io.csi4j.client.internal.retry.AttemptListener;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.spi.Cancellable;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One attempt of a call with a single response. */
final class UnaryCall<Q, A, R> extends ClientCall.Listener<A> implements Cancellable {
    /**
     * The number of response messages to request: one more than the expected single message, to detect a plugin that
     * sends too many.
     */
    private static final int MESSAGES = 2;

    private final Calls calls;
    private final RpcCall<Q, A> call;
    private final Function<? super A, ? extends R> decoder;
    private final AttemptListener<? super R> listener;
    private final long nanos;
    private final AtomicBoolean ended = new AtomicBoolean();
    /**
     * The present attempt. The field is set before the attempt is sent, because the listener may be called at once and
     * needs the field.
     */
    private volatile CallAttempt<Q, A> attempt;

    private volatile boolean cancelled;
    private @Nullable A answer;
    private boolean several;

    private UnaryCall(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            AttemptListener<? super R> listener,
            long nanos) {
        this.calls = calls;
        this.call = call;
        this.decoder = decoder;
        this.listener = listener;
        this.nanos = nanos;
        this.attempt = CallAttempt.first(calls, call, Deadline.after(nanos, TimeUnit.NANOSECONDS));
    }

    /** Sends the call. The listener may be called before this method returns. */
    static <Q, A, R> Cancellable begin(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            AttemptListener<? super R> listener,
            long nanos) {
        UnaryCall<Q, A, R> begun = new UnaryCall<>(calls, call, decoder, listener, nanos);
        begun.send(begun.attempt);
        return begun;
    }

    private void send(CallAttempt<Q, A> next) {
        try {
            next.send(this, MESSAGES);
        } catch (RuntimeException | Error fault) {
            fail(fault, true, false);
        }
    }

    @Override
    public void onMessage(A message) {
        several = answer != null;
        answer = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        attempt.ended();
        try {
            if (status.isOk()) {
                answered();
            } else if (attempt.mayRestart(status) && !cancelled) {
                attempt.restart(status, this::restart);
            } else {
                failWithStatus(status);
            }
        } catch (RuntimeException | Error fault) {
            // The failure is reported even if the listener may have been notified already. Without any notification,
            // the call would hang.
            ended.set(true);
            listener.failed(fault, true, false);
        }
    }

    /**
     * Ends the call with a failure. Only the first report has an effect, because an exception and gRPC's status may
     * report the same failure.
     */
    private void fail(Throwable failure, boolean sent, boolean repeatable) {
        if (ended.compareAndSet(false, true)) {
            listener.failed(failure, sent, repeatable);
        }
    }

    private void failWithStatus(Status status) {
        CallTrace trace = attempt.trace();
        CsiCallException failure = calls.failed(call, status, trace, Duration.ofNanos(nanos));
        // If gRPC in this process reports RESOURCE_EXHAUSTED, the response exceeds the size limit. The call is not
        // retried then, because the next response would exceed it, too.
        boolean tooLarge = !trace.fromPlugin(status) && failure.code() == StatusCode.RESOURCE_EXHAUSTED;
        fail(failure, trace.sent(), !tooLarge);
    }

    private void answered() {
        A message = answer;
        if (message == null || several) {
            String problem = message == null ? "it is missing" : "there is more than one";
            unusable(calls.failures().unusable(call, problem, null));
            return;
        }
        R decoded;
        try {
            decoded = decoder.apply(message);
        } catch (RuntimeException unusable) {
            unusable(calls.failures().unusable(call, unusable));
            return;
        }
        if (ended.compareAndSet(false, true)) {
            listener.answered(decoded);
        }
    }

    /** Fails the call without a retry, because the plugin would send the same unusable response again. */
    private void unusable(Throwable failure) {
        fail(failure, true, false);
    }

    private void restart(CallAttempt<Q, A> next) {
        attempt = next;
        send(next);
        if (cancelled) {
            cancel();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        attempt.cancel("the caller no longer waits");
    }
}
