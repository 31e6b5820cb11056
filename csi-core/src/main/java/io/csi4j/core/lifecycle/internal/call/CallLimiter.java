package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.PluginId;
import java.util.concurrent.CompletableFuture;

/** Limits the number of calls in flight for each plugin. */
interface CallLimiter {
    /**
     * Waits for a permit to call a plugin. Calls of one kind get permits in the order of their requests.
     *
     * @return completes with the permit; cancelling the future removes the request from the queue
     */
    CompletableFuture<CallPermit> acquire(PluginId plugin, CallKind kind);
}
