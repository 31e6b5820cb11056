package io.csi4j.client;

import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Passes encoded calls on to a plugin. On the server, an implementation is a transport to the plugin's node; on that node, {@link
 * CsiClient#relay()} makes the calls to the plugin. Thread-safe; never blocks.
 */
public interface CallRelay {
    /**
     * Sends one call to the plugin. A transport to another node does not retry the call; {@link CsiClient#relay()} retries it in the same way as other calls
     * of the client.
     *
     * @param call a call of the Controller or GroupController service
     * @param deadline the time to wait for the response; longer than zero
     * @return the response in CSI's own encoding. If the call fails, the future fails with a
     *     {@link io.csi4j.core.call.CsiException} without sensitive values. Cancelling the future cancels the call
     * @throws IllegalArgumentException if the call is of the SnapshotMetadata service
     */
    CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline);

    /**
     * Sends one streaming call to the plugin, without retries, and returns the first messages of the response stream.
     *
     * @param call a call of the SnapshotMetadata service
     * @param deadline the time to wait for the page; longer than zero
     * @return a page of messages in CSI's own encoding. If the call fails, the future fails with a
     *     {@link io.csi4j.core.call.CsiException} without sensitive values. Cancelling the future cancels the call
     * @throws IllegalArgumentException if the call is of another service
     */
    CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline);
}
