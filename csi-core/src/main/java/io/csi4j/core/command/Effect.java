package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** One thing that a command did, with the values the one who proposed it needs. */
public sealed interface Effect {
    /**
     * A volume was declared, changed, or found to be as declared.
     *
     * @param volume as it is now
     * @param created whether it was not known before
     */
    record VolumeStored(Volume volume, boolean created) implements Effect {
        /** Checks that there is a volume. */
        public VolumeStored {
            Objects.requireNonNull(volume, "volume");
        }
    }

    /**
     * A volume was forgotten.
     *
     * @param forgottenClaims the claims that were forgotten with it, by force
     * @param forgottenAttachments the nodes where it is, or may be, attached still
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
     * A claim is held.
     *
     * @param volume the volume as it is now
     * @param attachment the attachment on the claim's node; empty: the controller does not publish
     * @param alreadyHeld whether it had been taken before
     */
    record ClaimTaken(Volume volume, Claim claim, Optional<Attachment> attachment, boolean alreadyHeld)
            implements Effect {
        public ClaimTaken {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(claim, "claim");
            Objects.requireNonNull(attachment, "attachment");
        }
    }

    /** A claim is to be released: its allocation has ended, or somebody said so. */
    record ClaimReleasable(VolumeKey key, AllocationId allocationId) implements Effect {
        /** Checks that both parts are there. */
        public ClaimReleasable {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
        }
    }

    /**
     * A claim is no more; who waits for the volume may ask again.
     *
     * @param nodeId where it was
     */
    record ClaimFreed(VolumeKey key, AllocationId allocationId, NodeId nodeId) implements Effect {
        public ClaimFreed {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
        }
    }

    /** A node is not known any more. */
    record NodeRemoved(NodeId nodeId) implements Effect {
        /** Checks that there is a node. */
        public NodeRemoved {
            Objects.requireNonNull(nodeId, "nodeId");
        }
    }

    /** Nothing runs a plugin any more, and nothing is meant to. */
    record PluginRemoved(PluginId pluginId) implements Effect {
        /** Checks that there is a plugin. */
        public PluginRemoved {
            Objects.requireNonNull(pluginId, "pluginId");
        }
    }
}
