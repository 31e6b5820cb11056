package io.csi4j.client;

import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Passes calls for snapshot metadata on to a plugin, as messages, and brings the first messages of the stream back: a
 * transport between a server and the node where the plugin is, or, at its end, {@link CsiClient#pageRelay()}. Safe for
 * use by many threads; never blocks.
 */
@FunctionalInterface
public interface PageRelay {
    /**
     * Passes one call on, once.
     *
     * @param call a call of the SnapshotMetadata service
     * @param deadline how long to wait for the page; longer than zero
     * @return messages in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling it cancels the call
     */
    CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline);
}
