package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.lifecycle.ClaimGrant;
import java.util.concurrent.CompletableFuture;

/**
 * The future of a claim request. When it ends, the engine is notified before any callback of the host runs, so that a
 * callback that blocks delays no release.
 */
final class ClaimFuture extends CompletableFuture<ClaimGrant> {
    private final CompletableFuture<ClaimGrant> outcome = new CompletableFuture<>();

    /**
     * Returns a second future with the same result, which is completed right before this one. The engine's own stages
     * depend on the second future, so the host's callbacks cannot delay them.
     */
    CompletableFuture<ClaimGrant> outcome() {
        return outcome;
    }

    @Override
    public boolean complete(ClaimGrant grant) {
        return outcome.complete(grant) && super.complete(grant);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return outcome.completeExceptionally(failure) && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return outcome.cancel(mayInterruptIfRunning) ? super.cancel(mayInterruptIfRunning) : isCancelled();
    }
}
