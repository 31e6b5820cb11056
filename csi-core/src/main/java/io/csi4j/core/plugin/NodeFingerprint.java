package io.csi4j.core.plugin;

import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A node's report of all its plugin instances. An instance of the node that is not in the report does not exist any
 * more.
 *
 * @param instances all instances on the node
 * @param order the number of the report. A node gives each report a greater number than the one before, so that a
 *     delayed report does not replace a newer one. A report with the number 0 always counts
 * @param at the time of the report, by the clock of the node or of the server that took the report
 */
public record NodeFingerprint(NodeId nodeId, List<PluginInstance> instances, long order, Instant at) {
    /** The highest allowed number of a report. No node ever sends that many reports. */
    public static final long MAX_ORDER = 1L << 62;

    /**
     * @throws IllegalArgumentException if an instance is on another node or appears twice, or if the order is negative
     *     or above {@link #MAX_ORDER}
     */
    public NodeFingerprint {
        Objects.requireNonNull(nodeId, "nodeId");
        if (order < 0 || order > MAX_ORDER) {
            throw new IllegalArgumentException("NodeFingerprint: the order " + order + " of node " + nodeId
                    + " is not between 0 and " + MAX_ORDER);
        }
        Objects.requireNonNull(at, "at");
        instances = List.copyOf(instances);
        if (instances.stream().map(PluginInstance::key).distinct().count() < instances.size()) {
            throw new IllegalArgumentException(
                    "NodeFingerprint: an instance is named twice for node " + nodeId + "; name each once");
        }
        for (PluginInstance instance : instances) {
            if (!instance.key().nodeId().equals(nodeId)) {
                throw new IllegalArgumentException("NodeFingerprint: " + instance.key() + " is not on node " + nodeId
                        + "; each node reports only its own instances");
            }
        }
    }
}
