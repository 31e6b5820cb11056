package io.csi4j.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Passes calls on to a plugin, as messages: a transport between a server and the node where the plugin is, or, at its
 * end, {@link CsiClient#relay()}. Safe for use by many threads; never blocks.
 */
@FunctionalInterface
public interface CallRelay {
    /**
     * Passes one call on, once.
     *
     * @param deadline how long to wait for the answer; longer than zero
     * @return the answer in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling it cancels the call
     */
    CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline);
}
