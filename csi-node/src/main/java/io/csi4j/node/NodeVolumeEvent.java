package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * An event about a volume on this node. Contains nothing sensitive.
 *
 * @param kind the kind of event
 * @param volume the volume; empty if it is not known
 * @param allocationId the allocation that uses the volume; empty if there is none or it is not known
 * @param message the event, its cause and the next step, for operators
 * @param at the time of the event
 */
public record NodeVolumeEvent(
        Kind kind, Optional<VolumeKey> volume, Optional<AllocationId> allocationId, String message, Instant at) {
    public NodeVolumeEvent {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(at, "at");
    }

    /** The kind of event. */
    public enum Kind {
        /** A volume was mounted at its target path, for the first time or again. */
        MOUNTED,
        /** A volume was unmounted from the target path of an allocation. */
        UNMOUNTED,
        /** A step failed; it will be retried or undone. */
        STEP_FAILED,
        /** The mount of a live allocation is missing, and is being mounted again. */
        MOUNT_MISSING,
        /**
         * A volume that had secrets is mounted without them, because none are available; see {@link MissingSecrets#TRY}.
         */
        SECRETS_MISSING,
        /** A mount is broken: its target cannot be read. {@link BrokenMounts} decides whether it is repaired. */
        MOUNT_BROKEN,
        /** A mount does not answer in time. It may be healthy, so nothing is done. */
        MOUNT_UNRESPONSIVE,
        /**
         * A target is about to be unmounted without the plugin, because the plugin answers that it has no such mount. The message names the
         * operator and the reason, or the option that permits it. See {@link NodeVolumes#unmountDirectly}.
         */
        DIRECT_UNMOUNT,
        /**
         * The files of a volume are about to be given to the group of a mount by this node, because the plugin does not
         * have VOLUME_MOUNT_GROUP. MOUNTED follows when that is done.
         */
        OWNERSHIP_CHANGE,
        /**
         * NodePublishVolume was repeated for a mounted volume, and failed. The mount stays, and the call is tried again.
         */
        REPUBLISH_FAILED,
        /** The last tokens that the plugin has for a mount ran out, because NodePublishVolume did not succeed since. */
        CREDENTIAL_EXPIRED,
        /**
         * NodePublishVolume was repeated for a mounted volume, and the plugin has changed or removed the mount. Nothing is
         * mounted again; the target is given to no new process until it is unmounted.
         */
        MOUNT_CHANGED,
        /**
         * A volume that was mounted with a security label has another one or none in the mount table. Nothing is mounted
         * again.
         */
        LABEL_CHANGED,
        /**
         * The files of a volume are being given to the group of a mount, and no file was reached for a minute, for
         * example because the storage does not answer. Reported once until the next file.
         */
        OWNERSHIP_STALLED,
        /**
         * A volume is mounted with a warning: its plugin has set the group of the mount, and its root directory does not show
         * it. Nothing was changed.
         */
        OWNERSHIP_NOT_SEEN,
        /**
         * The unmount of a target or a staging was finished without the plugin, because nothing is mounted there and the
         * plugin cannot or will not unmount it. The message names the operator and the reason, or why it is certain. See
         * {@link NodeVolumes#forgetUnmount}.
         */
        UNMOUNT_FORGOTTEN,
        /** A mount that no allocation requests was found; the plugin is called to remove it. */
        ORPHAN_FOUND,
        /** A mount without a ledger record was found. It stays mounted until the host requests its mount or unmount. */
        OWNER_UNKNOWN,
        /** A ledger record is unreadable and was moved aside. */
        RECORD_SET_ASIDE,
        /** A directory could not be removed after its volume was unmounted. */
        LEFT_BEHIND
    }
}
