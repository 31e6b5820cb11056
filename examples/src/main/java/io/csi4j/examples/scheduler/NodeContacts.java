package io.csi4j.examples.scheduler;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Reports nodes to csi4j: ready when their agent calls, disconnected when it has not called for some time. */
final class NodeContacts {
    private static final Duration SILENCE = Duration.ofSeconds(6);
    private static final long LOG_SECONDS = 10;

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final Map<NodeId, Long> lastCalls = new ConcurrentHashMap<>();
    private volatile long leadingSince = System.nanoTime();

    NodeContacts(VolumeLifecycle lifecycle, ObservableState store) {
        this.lifecycle = lifecycle;
        this.store = store;
    }

    /**
     * Starts the time of silence anew for all nodes, because a new leader does not know when their agents called the
     * former leader.
     */
    void reset() {
        lastCalls.clear();
        leadingSince = System.nanoTime();
    }

    /** Records that the agent of a node called. A node that was fenced counts as repaired then. */
    void called(NodeId nodeId) {
        lastCalls.put(nodeId, System.nanoTime());
        NodeStatus status = store.snapshot().node(nodeId).map(Node::status).orElse(NodeStatus.GONE);
        if (status != NodeStatus.READY) {
            lifecycle
                    .cluster()
                    .nodeReady(nodeId)
                    .orTimeout(LOG_SECONDS, TimeUnit.SECONDS)
                    .join();
        }
    }

    /** Reports silent nodes as disconnected, not as down: their workloads may still write until they are fenced. */
    void reportLostNodes() {
        long now = System.nanoTime();
        for (Node node : store.snapshot().nodes()) {
            long silence = now - lastCalls.getOrDefault(node.id(), leadingSince);
            if (node.status() == NodeStatus.READY && silence > SILENCE.toNanos()) {
                lifecycle
                        .cluster()
                        .nodeDisconnected(node.id(), "no call for " + SILENCE.toSeconds() + " s")
                        .orTimeout(LOG_SECONDS, TimeUnit.SECONDS)
                        .join();
            }
        }
    }
}
