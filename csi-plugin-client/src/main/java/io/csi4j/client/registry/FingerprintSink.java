package io.csi4j.client.registry;

import io.csi4j.core.plugin.NodeFingerprint;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a node's plugin reports to the servers.
 *
 * <p><b>Order and duplicates.</b> The {@link Fingerprinter} sends one report at a time, each with all instances of the node and with a higher
 * {@link NodeFingerprint#order()} than before. A report without an answer within 30 seconds counts as lost, and the next one is sent; the
 * lost one may still arrive. The servers therefore reject a report that is older than another one of the node, and a sink may send a report
 * twice or late. Nothing is stored between two runs of the host: after a restart everything is reported again.
 *
 * <p><b>Threads and locks.</b> One thread of the registry's environment at a time calls the sink, without a lock. The sink may complete its
 * future on any thread.
 */
@FunctionalInterface
public interface FingerprintSink {
    /**
     * Sends a report to the servers. Never blocks; further reports of the node wait for it. A sink that throws or returns null counts as
     * failed.
     *
     * @param fingerprint all instances of the node
     * @return completes when the servers have taken the report, with any value; exceptionally if it was rejected or its outcome is unknown.
     *     The fingerprinter then sends it again, or a newer one, after a second and then at growing intervals up to a minute. A report that is
     *     outdated for the servers has to fail with their {@link io.csi4j.core.lifecycle.RejectedException}: the
     *     {@link io.csi4j.core.command.Rejection.FingerprintOutdated} in it has the number that the next report must exceed. Without it, a node
     *     whose clock was set back is not heard until its clock has caught up
     */
    CompletableFuture<?> send(NodeFingerprint fingerprint);
}
