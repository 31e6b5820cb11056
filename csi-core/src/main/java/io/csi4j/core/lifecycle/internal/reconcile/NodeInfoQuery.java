package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import java.util.concurrent.CompletableFuture;

/** Asks a plugin on a node for its facts, among them how many volumes the node can have. */
public final class NodeInfoQuery {
    private final Operations operations;

    public NodeInfoQuery(Operations operations) {
        this.operations = operations;
    }

    /** Asks for the facts. The node reports them in its next fingerprint. */
    public CompletableFuture<Void> refresh(PluginOnNode pluginOnNode) {
        boolean answers = operations
                .state()
                .node(pluginOnNode.nodeId())
                .filter(node -> node.status() == NodeStatus.READY)
                .isPresent();
        // A node that is not ready is not asked: when it is ready again, it reports the limits of all its plugins.
        return answers
                ? operations
                        .calls()
                        .node(
                                CallSubject.of(Rpc.NODE_GET_INFO, pluginOnNode.plugin(), ""),
                                pluginOnNode.nodeId(),
                                () -> operations
                                        .ports()
                                        .gateway()
                                        .refreshNodeInfo(pluginOnNode.nodeId(), pluginOnNode.plugin()))
                : CompletableFuture.completedFuture(null);
    }
}
