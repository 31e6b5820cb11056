package io.csi4j.client.internal.call;

import io.csi4j.client.internal.transport.Connection;
import io.csi4j.core.spi.Cancellable;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request with a single response, to a plugin, an agent or a server. A subclass gets the end, once. Its methods run on the executor of
 * the call's options, or on the thread that begins the call.
 *
 * @param <Q> the type of the request
 * @param <A> the type of the response
 */
public abstract class UnaryCall<Q, A> extends ClientCall.Listener<A> implements Cancellable {
    /**
     * The number of response messages to request: one more than the expected single message, to detect a peer that
     * sends too many.
     */
    private static final int MESSAGES = 2;

    private final AtomicBoolean ended = new AtomicBoolean();
    /**
     * The present attempt. The field is set before the attempt is sent, because the listener may be called at once and
     * needs the field.
     */
    private volatile CallAttempt<Q, A> attempt;

    private volatile boolean cancelled;
    private @Nullable A answer;
    private boolean several;

    /**
     * Creates a call; {@link #begin} sends it.
     *
     * @param options the deadline and the executor
     */
    protected UnaryCall(Connection connection, MethodDescriptor<Q, A> method, Q request, CallOptions options) {
        this.attempt = CallAttempt.first(connection, method, request, options);
    }

    /** Handles the response. */
    protected abstract void answered(A message);

    /** Handles a status other than OK. */
    protected abstract void failed(Status status, CallTrace trace);

    /** Handles an OK without a single response. */
    protected abstract void unusable(String problem);

    /** Handles an exception of this side; whether the call was sent is not known. */
    protected abstract void broken(Throwable fault);

    /** Sends the call. The end may be reported before this method returns. */
    public final void begin() {
        send(attempt);
    }

    private void send(CallAttempt<Q, A> next) {
        try {
            next.send(this, MESSAGES);
        } catch (RuntimeException | Error fault) {
            if (end()) {
                broken(fault);
            }
        }
    }

    @Override
    public final void onMessage(A message) {
        several = answer != null;
        answer = message;
    }

    @Override
    public final void onClose(Status status, Metadata trailers) {
        attempt.ended();
        try {
            if (!status.isOk() && attempt.mayRestart(status) && !cancelled) {
                attempt.restart(status, this::restart);
            } else if (end()) {
                report(status);
            }
        } catch (RuntimeException | Error fault) {
            // The failure is reported even if the end may have been reported already. Without any report, the call
            // would hang.
            ended.set(true);
            broken(fault);
        }
    }

    /**
     * Marks the end of the call. Returns true for the first end only, because an exception and gRPC's status may report
     * the same failure.
     */
    private boolean end() {
        return ended.compareAndSet(false, true);
    }

    private void report(Status status) {
        A message = answer;
        if (!status.isOk()) {
            failed(status, attempt.trace());
        } else if (message == null || several) {
            unusable(message == null ? "it is missing" : "there is more than one");
        } else {
            answered(message);
        }
    }

    private void restart(CallAttempt<Q, A> next) {
        attempt = next;
        send(next);
        if (cancelled) {
            cancel();
        }
    }

    @Override
    public final void cancel() {
        cancelled = true;
        attempt.cancel("the caller no longer waits");
    }
}
