package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The status of a volume on this node. Contains nothing sensitive.
 *
 * @param volume the volume
 * @param staged whether the volume is staged, as far as known; false while it is being staged
 * @param uses the allocations that use the volume, request it, or are being unmounted
 * @param waitingFor the reason why the work on the volume waits; empty: it does not wait
 * @param lastError the failure of the step that failed last; empty: none, or the step has succeeded since
 */
public record NodeVolumeStatus(VolumeKey volume, boolean staged, List<Use> uses, String waitingFor, String lastError) {
    /** Copies the list of uses. */
    public NodeVolumeStatus {
        Objects.requireNonNull(volume, "volume");
        uses = List.copyOf(uses);
        Objects.requireNonNull(waitingFor, "waitingFor");
        Objects.requireNonNull(lastError, "lastError");
    }

    /**
     * The use of the volume by one allocation.
     *
     * @param allocationId the allocation
     * @param targetPath the path of the volume for the allocation
     * @param state the progress of the use
     */
    public record Use(AllocationId allocationId, Path targetPath, State state) {
        public Use {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(targetPath, "targetPath");
            Objects.requireNonNull(state, "state");
        }
    }

    /** The progress of mounting or unmounting the volume for the allocation. */
    public enum State {
        /** The volume is being mounted, for the first time or again. */
        MOUNTING,
        /**
         * The ledger says that the volume is mounted. If a later check of the mount table finds no mount, the state
         * becomes MOUNTING.
         */
        MOUNTED,
        /** The volume is being unmounted. */
        UNMOUNTING
    }

    String reason() {
        return lastError.isEmpty() || waitingFor.isEmpty() ? waitingFor + lastError : waitingFor + "; " + lastError;
    }
}
