package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.Cancellable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Somebody who waits for a mount or for an unmount, with a time limit. Equal to itself only. */
public final class MountWait<T> {
    private final AllocationId allocationId;
    private final CompletableFuture<T> future;
    private final Cancellable limit;

    MountWait(AllocationId allocationId, CompletableFuture<T> future, Cancellable limit) {
        this.allocationId = allocationId;
        this.future = future;
        this.limit = limit;
    }

    AllocationId allocationId() {
        return allocationId;
    }

    /** Whether who waited was still there. */
    boolean complete(@Nullable T value) {
        limit.cancel();
        return future.complete(value);
    }

    void fail(Throwable error) {
        limit.cancel();
        future.completeExceptionally(error);
    }

    /** Nobody waits any more. */
    void end() {
        limit.cancel();
    }
}
