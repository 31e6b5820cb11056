package io.csi4j.client;

import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Passes encoded calls on to a plugin: a transport from a server to the plugin's node, or, at the end of that transport, {@link
 * CsiClient#relay()}. Thread-safe; never blocks.
 */
public interface CallRelay {
    /**
     * Passes one call on, once.
     *
     * @param call a call of the Controller or GroupController service
     * @param deadline the time to wait for the response; longer than zero
     * @return the response in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling the future cancels the call
     * @throws IllegalArgumentException if the call is of the SnapshotMetadata service
     */
    CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline);

    /**
     * Passes one streaming call on, once, and returns the first messages of its stream.
     *
     * @param call a call of the SnapshotMetadata service
     * @param deadline the time to wait for the page; longer than zero
     * @return messages in CSI's own encoding; exceptionally with a {@link io.csi4j.core.call.CsiException} that shows
     *     nothing sensitive. Cancelling the future cancels the call
     * @throws IllegalArgumentException if the call is of another service
     */
    CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline);
}
