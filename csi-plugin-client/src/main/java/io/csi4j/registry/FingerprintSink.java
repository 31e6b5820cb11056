package io.csi4j.registry;

import io.csi4j.core.plugin.NodeFingerprint;
import java.util.concurrent.CompletableFuture;

/** Sends a node's plugin reports to the servers. */
@FunctionalInterface
public interface FingerprintSink {
    /**
     * Sends a report to the servers. Never blocks.
     *
     * @param fingerprint all instances of the node
     * @return completes when the servers have taken the report; exceptionally if it was rejected or its outcome is unknown. The
     *     fingerprinter then sends it again, or a newer one
     */
    CompletableFuture<?> send(NodeFingerprint fingerprint);
}
