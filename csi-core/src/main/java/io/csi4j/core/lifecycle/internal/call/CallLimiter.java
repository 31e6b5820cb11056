package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.PluginId;
import java.util.concurrent.CompletableFuture;

/** Limits the number of calls in flight for each plugin. */
interface CallLimiter {
    /**
     * Waits for a permit; calls of one kind get permits in order.
     *
     * @return completes with the permit; cancelling the future leaves the queue
     */
    CompletableFuture<CallPermit> acquire(PluginId plugin, CallKind kind);
}
