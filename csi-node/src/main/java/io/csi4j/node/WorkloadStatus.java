package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;

/**
 * The progress of a workload's volumes. Contains nothing sensitive.
 *
 * @param allocationId the workload
 * @param phase the phase
 * @param missing the volumes that are not ready: in {@link Phase#CLAIMING} all requested volumes, in {@link Phase#MOUNTING} the volumes
 *     that are not mounted yet
 * @param reason the reason of a wait or a failure; empty: none
 */
public record WorkloadStatus(AllocationId allocationId, Phase phase, List<VolumeKey> missing, String reason) {
    /** Copies the list of volumes. */
    public WorkloadStatus {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(phase, "phase");
        missing = List.copyOf(missing);
        Objects.requireNonNull(reason, "reason");
    }

    /** The phase of a workload's volumes. */
    public enum Phase {
        /** The claims wait to be granted; the engine's status of each volume has the reason. */
        CLAIMING,
        /** The claims are granted, and the volumes are being mounted. */
        MOUNTING,
        /** All volumes are mounted. */
        READY,
        /** The preparation failed or was cancelled, and its steps are being undone. */
        UNDOING
    }
}
