package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something the host may want to know about a volume on this node. Holds nothing sensitive.
 *
 * @param kind what happened
 * @param volume the volume; empty where not even that is known
 * @param allocationId who is concerned; empty: nobody, or nobody that is known
 * @param message for an operator: what, where, and what comes next
 * @param at when
 */
public record NodeVolumeEvent(
        Kind kind, Optional<VolumeKey> volume, Optional<AllocationId> allocationId, String message, Instant at) {
    /** Checks that all parts are there. */
    public NodeVolumeEvent {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(at, "at");
    }

    /** What may happen. */
    public enum Kind {
        /** A volume is at its target path, for the first time or again. */
        MOUNTED,
        /** A volume is no longer at the target path of an allocation. */
        UNMOUNTED,
        /** A step failed; it will be tried again, or undone. */
        STEP_FAILED,
        /** The mount of a living user is gone, and is being made again. */
        MOUNT_MISSING,
        /** A mount that had secrets is made without, since nobody has them; see {@link MissingSecrets#TRY}. */
        SECRETS_MISSING,
        /** A mount fails: its target cannot be looked at. What is done is a matter of the policy. */
        MOUNT_BROKEN,
        /** A mount does not answer in time. That is not known to be a defect, so nothing is done. */
        MOUNT_UNRESPONSIVE,
        /**
         * A target that the plugin denies is about to be unmounted without the plugin; the message says who ordered it
         * and why, or that the policy is on. See {@link NodeVolumes#unmountDirectly}.
         */
        DIRECT_UNMOUNT,
        /** Something is mounted that nobody asked for; it is being removed through the plugin. */
        ORPHAN_FOUND,
        /** Something is mounted, and there is no record of whose it is: it is left alone until the host says. */
        OWNER_UNKNOWN,
        /** A record cannot be read; it was set aside. */
        RECORD_SET_ASIDE,
        /** A directory could not be removed after the volume had gone from it. */
        LEFT_BEHIND
    }
}
