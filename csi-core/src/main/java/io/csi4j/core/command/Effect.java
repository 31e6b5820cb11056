package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** One effect of an accepted command on the state, for example a stored volume or a freed claim. */
public sealed interface Effect {
    /**
     * A volume was registered or changed, or a repeated declaration of it was accepted without a change.
     *
     * @param volume the volume after the command
     * @param created whether the command added the volume
     */
    record VolumeStored(Volume volume, boolean created) implements Effect {
        public VolumeStored {
            Objects.requireNonNull(volume, "volume");
        }
    }

    /** A snapshot was added or changed, or a repeated request for it was accepted without a change. */
    record SnapshotStored(VolumeSnapshot snapshot) implements Effect {
        public SnapshotStored {
            Objects.requireNonNull(snapshot, "snapshot");
        }
    }

    /**
     * The deletion of a volume began: its owner has ended, or it was given up unused, and the provider has or may have it.
     */
    record DeletionBegun(VolumeKey key) implements Effect {
        public DeletionBegun {
            Objects.requireNonNull(key, "key");
        }
    }

    /**
     * A volume was removed from the state.
     *
     * @param forgottenClaims the volume's claims, which the forced removal removed too; empty without force
     * @param forgottenAttachments the nodes where the removed volume is or may still be attached; empty without force
     */
    record VolumeRemoved(VolumeKey key, List<Holder> forgottenClaims, List<NodeId> forgottenAttachments)
            implements Effect {
        public VolumeRemoved {
            Objects.requireNonNull(key, "key");
            forgottenClaims = List.copyOf(forgottenClaims);
            forgottenAttachments = List.copyOf(forgottenAttachments);
        }
    }

    /**
     * An allocation holds a claim.
     *
     * @param volume the volume after the command
     * @param attachment the attachment on the claim's node; empty if the controller does not publish the volume
     * @param alreadyHeld whether the allocation held the claim before the command
     */
    record ClaimTaken(Volume volume, Claim claim, Optional<Attachment> attachment, boolean alreadyHeld)
            implements Effect {
        public ClaimTaken {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(claim, "claim");
            Objects.requireNonNull(attachment, "attachment");
        }
    }

    /** A claim must be released, because its allocation has ended or an operator overrode it. */
    record ClaimReleasable(VolumeKey key, AllocationId allocationId) implements Effect {
        public ClaimReleasable {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
        }
    }

    /**
     * A claim was removed; waiting claims for the volume may be tried again.
     *
     * @param nodeId the node of the claim
     */
    record ClaimFreed(VolumeKey key, AllocationId allocationId, NodeId nodeId) implements Effect {
        public ClaimFreed {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
        }
    }

    /** A node was removed from the state. */
    record NodeRemoved(NodeId nodeId) implements Effect {
        public NodeRemoved {
            Objects.requireNonNull(nodeId, "nodeId");
        }
    }

    /** A plugin was removed, because no instance and no deployment of it is left. */
    record PluginRemoved(PluginId pluginId) implements Effect {
        public PluginRemoved {
            Objects.requireNonNull(pluginId, "pluginId");
        }
    }

    /**
     * An answer of the storage provider has lifted the use of a quota over its limit. New requests that the quota counts
     * are refused until the use is below the limit.
     *
     * @param key the volume that the provider has answered for
     * @param excess the limit and the use
     */
    record QuotaOverrun(VolumeKey key, Rejection.QuotaExceeded.Excess excess) implements Effect {
        public QuotaOverrun {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(excess, "excess");
        }
    }
}
