package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.plugin.PluginInstance;
import java.util.List;

/**
 * The host's reports about its cluster, for callers that block. Each method waits for the operation of the same name in
 * {@link Cluster}; see {@link BlockingLifecycle}.
 */
public final class BlockingCluster {
    private final Cluster view;

    BlockingCluster(Cluster view) {
        this.view = view;
    }

    /** Waits for {@link Cluster#nodeReady(NodeId)}. */
    public void nodeReady(NodeId nodeId) {
        Waiting.on(view.nodeReady(nodeId));
    }

    /** Waits for {@link Cluster#nodeDisconnected(NodeId, String)}. */
    public void nodeDisconnected(NodeId nodeId, String reason) {
        Waiting.on(view.nodeDisconnected(nodeId, reason));
    }

    /** Waits for {@link Cluster#nodeDown(NodeId, String)}. */
    public void nodeDown(NodeId nodeId, String reason) {
        Waiting.on(view.nodeDown(nodeId, reason));
    }

    /** Waits for {@link Cluster#nodeFenced(NodeId, String)}. */
    public void nodeFenced(NodeId nodeId, String reason) {
        Waiting.on(view.nodeFenced(nodeId, reason));
    }

    /** Waits for {@link Cluster#nodeGone(NodeId, String)}. */
    public void nodeGone(NodeId nodeId, String reason) {
        Waiting.on(view.nodeGone(nodeId, reason));
    }

    /** Waits for {@link Cluster#stateRestored(String)}. */
    public void stateRestored(String reason) {
        Waiting.on(view.stateRestored(reason));
    }

    /** Waits for {@link Cluster#nodeLedger(NodeId, LedgerReport)}. */
    public void nodeLedger(NodeId nodeId, LedgerReport ledger) {
        Waiting.on(view.nodeLedger(nodeId, ledger));
    }

    /** Waits for {@link Cluster#nodePlugins(NodeId, List)}. */
    public void nodePlugins(NodeId nodeId, List<PluginInstance> instances) {
        Waiting.on(view.nodePlugins(nodeId, instances));
    }

    /** Waits for {@link Cluster#allocationPlaced(AllocationId, Namespace, NodeId)}. */
    public void allocationPlaced(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        Waiting.on(view.allocationPlaced(allocationId, namespace, nodeId));
    }

    /** Waits for {@link Cluster#allocationStarted(AllocationId, Namespace, NodeId)}. */
    public void allocationStarted(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        Waiting.on(view.allocationStarted(allocationId, namespace, nodeId));
    }

    /** Waits for {@link Cluster#allocationStarted(AllocationId, Namespace, NodeId, DeploymentId)}. */
    public void allocationStarted(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, DeploymentId deployment) {
        Waiting.on(view.allocationStarted(allocationId, namespace, nodeId, deployment));
    }

    /** Waits for {@link Cluster#allocationEnded(AllocationId)}. */
    public void allocationEnded(AllocationId allocationId) {
        Waiting.on(view.allocationEnded(allocationId));
    }

    /** Waits for {@link Cluster#allocationForgotten(AllocationId)}. */
    public void allocationForgotten(AllocationId allocationId) {
        Waiting.on(view.allocationForgotten(allocationId));
    }
}
