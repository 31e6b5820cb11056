package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.RemainingWork;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The status of a volume: its claims, the claims that wait for it, and the work that remains.
 *
 * @param view the volume with its claims and attachments, without secrets, contexts and mount flags; each claim and
 *     attachment has its failed attempts, its last error and its next retry
 * @param remaining the steps that remain, and the reason for each step that waits
 * @param waiting the waiting claims, in their order; empty on an engine that does not lead
 * @param onNodes what nodes reported of the volume last: stagings, mounts, calls in flight and errors, also on nodes
 *     without a claim; see {@link OperatorActions#nodes}
 * @param failures the last failure of each call for the volume that has not succeeded since, with the plugin's own
 *     words, the latest first; only calls of this engine since its start
 */
public record VolumeStatus(
        VolumeView view,
        RemainingWork remaining,
        List<WaitingClaim> waiting,
        List<OnNode> onNodes,
        List<CallFailure> failures) {
    /** Copies the lists, so that later changes of the caller's lists have no effect. */
    public VolumeStatus {
        Objects.requireNonNull(view, "view");
        Objects.requireNonNull(remaining, "remaining");
        waiting = List.copyOf(waiting);
        onNodes = List.copyOf(onNodes);
        failures = List.copyOf(failures);
    }

    /**
     * The volume as a node reported it.
     *
     * @param nodeId the node
     * @param reportedAt the time at which this server got the report
     * @param volume the volume on the node
     */
    public record OnNode(NodeId nodeId, Instant reportedAt, NodeVolume volume) {
        public OnNode {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(reportedAt, "reportedAt");
            Objects.requireNonNull(volume, "volume");
        }
    }

    /**
     * Returns the nodes whose own work on the volume is not finished, as they reported it last: a mount, an unmount, a
     * staging or its removal. A node unmounts for its agent without a step of the leader, so {@link #remaining} does not
     * have this work.
     */
    public List<OnNode> unfinishedOnNodes() {
        return onNodes.stream()
                .filter(reported -> reported.volume().isUnfinished())
                .toList();
    }

    /** Returns this status with what nodes reported of the volume. */
    VolumeStatus onNodes(List<OnNode> reported) {
        return new VolumeStatus(view, remaining, waiting, reported, failures);
    }
}
