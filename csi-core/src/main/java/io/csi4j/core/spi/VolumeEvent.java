package io.csi4j.core.spi;

import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of a volume in the state.
 *
 * @param change the kind of change
 * @param reason the reason that the host or an operator gave for {@link Change#STORAGE_LOST}, {@link Change#FORGOTTEN},
 *     {@link Change#CREATION_WITHDRAWN} or a statement about what is left; empty for each other change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record VolumeEvent(VolumeKey volume, Change change, String reason, long index, Instant at) {
    public VolumeEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of a volume. */
    public enum Change {
        /** The volume was registered. */
        REGISTERED,
        /** The intent to create the volume was written. */
        CREATING,
        /** The specification of the volume changed. */
        UPDATED,
        /**
         * The state has recorded the provider's data of the volume, for example its size, after a create, an expansion
         * or a query.
         */
        FACTS_RECORDED,
        /** The intent to expand the volume was written. */
        EXPANDING,
        /** The controller has expanded the volume. */
        EXPANDED,
        /** A requested expansion was withdrawn. */
        EXPANSION_WITHDRAWN,
        /** A node has expanded the volume. */
        NODE_EXPANDED,
        /** The intent to change mutable parameters was written. */
        MODIFYING,
        /** Mutable parameters were changed. */
        MODIFIED,
        /**
         * A step of an expansion or a modification failed, or its outcome is unknown; the status of the volume
         * contains the error.
         */
        STEP_FAILED,
        /** The intent to delete the volume was written. */
        DELETING,
        /** The workload of the volume has ended, and the volume is retained. */
        RETAINED,
        /** The provider refused to delete the volume, and the volume is AVAILABLE again. */
        AVAILABLE,
        /** An operator requested a check of the volume for remaining work. */
        MARKED,
        /** The volume was removed from the state. */
        REMOVED,
        /** The volume was removed because an operator forgot it; it may have left mounts and attachments. */
        FORGOTTEN,
        /** The state was restored, and the storage provider does not have the volume. No claim gets it any more. */
        LOST,
        /** The volume was removed because the storage of the only node that could reach it is gone. */
        STORAGE_LOST,
        /** An operator stated that a forgotten volume has left nothing on nodes. */
        LEFTOVER_OVERRIDDEN,
        /** The volume was removed because its unfinished creation was withdrawn; the provider may have it. */
        CREATION_WITHDRAWN,
        /** An operator stated that the provider has no volume of a withdrawn creation. */
        WITHDRAWN_CREATION_FORGOTTEN
    }
}
