package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;

/**
 * How far the volumes of a workload are. Holds nothing sensitive.
 *
 * @param allocationId the workload
 * @param phase how far
 * @param missing what is asked for, while {@link Phase#CLAIMING}; what of it is not yet mounted, while {@link
 *     Phase#MOUNTING}
 * @param reason what is waited for, or why it failed; empty: nothing to tell
 */
public record WorkloadStatus(AllocationId allocationId, Phase phase, List<VolumeKey> missing, String reason) {
    /** Copies the list. */
    public WorkloadStatus {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(phase, "phase");
        missing = List.copyOf(missing);
        Objects.requireNonNull(reason, "reason");
    }

    /** How far. */
    public enum Phase {
        /** Its claims wait to be granted; the engine's status of each volume tells for whom. */
        CLAIMING,
        /** It is granted, and volumes are being mounted. */
        MOUNTING,
        /** All its volumes are there. */
        READY,
        /** It failed or was cancelled, and what was begun is being undone. */
        UNDOING
    }
}
