package io.csi4j.client.internal.retry;

import io.csi4j.core.spi.Cancellable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a call. The call is cancelled if the caller completes the future: explicitly, by cancelling it, or by a
 * time-out.
 */
final class CallFuture<R> extends CompletableFuture<R> {
    /** The call; null after its end, so that a caller who keeps the future does not keep the request in memory. */
    private volatile @Nullable Cancellable call;

    CallFuture(Cancellable call) {
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
        Cancellable abandoned = call;
        if (byThis && abandoned != null) {
            call = null;
            abandoned.cancel();
        }
        return byThis;
    }
}
