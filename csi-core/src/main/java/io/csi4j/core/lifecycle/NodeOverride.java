package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The preview of a statement about a node: everything that the statement changes. {@link OperatorActions#overrideNode}
 * applies exactly this; a claim or an attachment that is newer than the preview stays as it is.
 *
 * @param nodeId the node
 * @param statement what the operator states
 * @param index the index of the state from which the preview was made
 * @param claims the claims that the statement ends, or that get another external id
 * @param attachments the attachments that count as detached, that are detached by a former external id, or that get
 *     another external id
 * @param machines the former machines that the statement is about; empty for {@link NodeStatement#UNMOUNTED} and
 *     {@link NodeStatement#DETACHED}
 */
public record NodeOverride(
        NodeId nodeId,
        NodeStatement statement,
        long index,
        List<ClaimOnNode> claims,
        List<AttachmentToNode> attachments,
        List<FormerMachine> machines) {
    public NodeOverride {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(statement, "statement");
        claims = List.copyOf(claims);
        attachments = List.copyOf(attachments);
        machines = List.copyOf(machines);
    }

    /** Returns whether the statement changes nothing. */
    public boolean isEmpty() {
        return claims.isEmpty() && attachments.isEmpty() && machines.isEmpty();
    }

    /**
     * A claim on the node.
     *
     * @param allocationEnded whether the allocation of the claim has ended by the host's word; otherwise the statement
     *     takes the volume from a running allocation
     * @param createIndex the index of the command that took the claim
     */
    public record ClaimOnNode(
            VolumeKey volume, AllocationId allocationId, ClaimState state, boolean allocationEnded, long createIndex) {
        public ClaimOnNode {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
        }
    }

    /**
     * An attachment of a volume to the node.
     *
     * @param externalNodeId the external id of the node in the attachment; empty if it is not known
     * @param createIndex the index of the command that added the attachment
     */
    public record AttachmentToNode(
            VolumeKey volume, AttachmentState state, Optional<ExternalNodeId> externalNodeId, long createIndex) {
        public AttachmentToNode {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(externalNodeId, "externalNodeId");
        }
    }

    /**
     * A former machine of the node.
     *
     * @param former the external id that claims or attachments have
     * @param present the external id that the plugin reports now
     */
    public record FormerMachine(PluginId pluginId, ExternalNodeId former, ExternalNodeId present) {
        public FormerMachine {
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(former, "former");
            Objects.requireNonNull(present, "present");
        }
    }
}
