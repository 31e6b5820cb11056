package io.csi4j.client;

import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A call with one answer, from its beginning to the completion of its future. */
final class UnaryCall<Q, A, R> extends ClientCall.Listener<A> {
    /** One more than is due, to notice a plugin that sends too many. */
    private static final int MESSAGES = 2;

    private final Calls calls;
    private final RpcCall<Q, A> call;
    private final Function<? super A, ? extends R> decoder;
    private final Answer<R> future = new Answer<>(this);
    /** Set before the try is sent: its listener may run at once. */
    private volatile Attempt<Q, A> attempt;

    private @Nullable A answer;
    private boolean several;

    private UnaryCall(Calls calls, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        this.calls = calls;
        this.call = call;
        this.decoder = decoder;
        Deadline deadline = Deadline.after(calls.deadline(call).toNanos(), TimeUnit.NANOSECONDS);
        this.attempt = Attempt.first(calls.connection(), call, deadline);
    }

    static <Q, A, R> CompletableFuture<R> begin(
            Calls calls, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        UnaryCall<Q, A, R> begun = new UnaryCall<>(calls, call, decoder);
        begun.attempt.send(begun, MESSAGES);
        return begun.future;
    }

    @Override
    public void onMessage(A message) {
        several = answer != null;
        answer = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        try {
            if (status.isOk()) {
                answered();
            } else if (attempt.mayBeginAgain(status) && !future.isDone()) {
                beginAgain();
            } else {
                future.fail(calls.failed(call, status, attempt.trace()));
            }
        } catch (RuntimeException | Error fault) {
            // A future that never completes is worse than any exception.
            future.fail(fault);
        }
    }

    private void answered() {
        A message = answer;
        if (message == null || several) {
            future.fail(calls.unusable(call, message == null ? "it is missing" : "there is more than one"));
            return;
        }
        R decoded;
        try {
            decoded = decoder.apply(message);
        } catch (RuntimeException unusable) {
            future.fail(calls.unusable(call, unusable));
            return;
        }
        future.succeed(decoded);
    }

    private void beginAgain() {
        attempt = attempt.next();
        attempt.send(this, MESSAGES);
        if (future.isDone()) {
            cancel();
        }
    }

    private void cancel() {
        attempt.cancel("the caller no longer waits");
    }

    /** A future that takes its call along when somebody else completes it: by cancelling, or by a time-out. */
    private static final class Answer<R> extends CompletableFuture<R> {
        /** Null when done, so that a future that is kept does not keep the request. */
        private volatile @Nullable UnaryCall<?, ?, R> call;

        Answer(UnaryCall<?, ?, R> call) {
            this.call = call;
        }

        void succeed(R value) {
            call = null;
            super.complete(value);
        }

        void fail(Throwable failure) {
            call = null;
            super.completeExceptionally(failure);
        }

        @Override
        public boolean complete(R value) {
            return abandon(super.complete(value));
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return abandon(super.completeExceptionally(failure));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return abandon(super.cancel(mayInterruptIfRunning));
        }

        private boolean abandon(boolean byThis) {
            UnaryCall<?, ?, R> abandoned = call;
            if (byThis && abandoned != null) {
                call = null;
                abandoned.cancel();
            }
            return byThis;
        }
    }
}
