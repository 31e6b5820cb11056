package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.PluginId;
import java.util.concurrent.CompletableFuture;

/** Lets a bounded number of calls at a time go to each plugin. */
interface CallLimiter {
    /**
     * Waits for the right to make a call; those of one kind get it in the order they asked.
     *
     * @return completes with the right; cancelling it leaves the queue
     */
    CompletableFuture<CallPermit> acquire(PluginId plugin, CallKind kind);
}
