package io.csi4j.client;

import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Passes calls on to a plugin, as messages: a transport between a server and the node where the plugin is, or, at its
 * end, {@link CsiClient#relay()}. Safe for use by many threads; never blocks.
 */
public interface CallRelay {
    /**
     * Passes one call on, once.
     *
     * @param call a call of the Controller or GroupController service
     * @param deadline how long to wait for the answer; longer than zero
     * @return the answer in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling it cancels the call
     * @throws IllegalArgumentException if the call is of the SnapshotMetadata service
     */
    CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline);

    /**
     * Passes one call on, once, and brings the first messages of its stream back.
     *
     * @param call a call of the SnapshotMetadata service
     * @param deadline how long to wait for the page; longer than zero
     * @return messages in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling it cancels the call
     * @throws IllegalArgumentException if the call is of another service
     */
    CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline);
}
