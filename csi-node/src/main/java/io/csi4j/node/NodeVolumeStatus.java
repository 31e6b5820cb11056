package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * How a volume stands on this node. Holds nothing sensitive.
 *
 * @param volume the volume
 * @param staged whether it is staged, as far as is known; false while it is being staged, for the first time or again
 * @param uses who uses it, wants it, or is being taken off it
 * @param waitingFor what it waits for; empty: nothing
 * @param lastError the last failure of a step that has not succeeded since; empty: none
 */
public record NodeVolumeStatus(VolumeKey volume, boolean staged, List<Use> uses, String waitingFor, String lastError) {
    /** Copies the list. */
    public NodeVolumeStatus {
        Objects.requireNonNull(volume, "volume");
        uses = List.copyOf(uses);
        Objects.requireNonNull(waitingFor, "waitingFor");
        Objects.requireNonNull(lastError, "lastError");
    }

    /**
     * One allocation's use.
     *
     * @param allocationId the allocation
     * @param targetPath where it has the volume
     * @param state how far it is
     */
    public record Use(AllocationId allocationId, Path targetPath, State state) {
        /** Checks that all parts are there. */
        public Use {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(targetPath, "targetPath");
            Objects.requireNonNull(state, "state");
        }
    }

    /** How far a use is. */
    public enum State {
        /** It is wanted and not yet there, or being made again. */
        MOUNTING,
        /** It is there, as far as is on record, and nothing is known against it. */
        MOUNTED,
        /** It is being taken away. */
        UNMOUNTING
    }

    String reason() {
        return lastError.isEmpty() || waitingFor.isEmpty() ? waitingFor + lastError : waitingFor + "; " + lastError;
    }
}
