package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.DriftEvent;
import java.util.Objects;
import java.util.Optional;

/**
 * A difference between the state and the storage provider: only one of them says that the volume is attached to the
 * node.
 *
 * @param kind the direction of the difference
 * @param volume the volume's key in the state
 * @param externalVolumeId the storage provider's id of the volume
 * @param externalNodeId the storage provider's id of the node
 * @param repair the result of the repair; empty if no repair was requested, or the node is not in this cluster (R71)
 */
public record Drift(
        DriftEvent.Kind kind,
        VolumeKey volume,
        ExternalVolumeId externalVolumeId,
        ExternalNodeId externalNodeId,
        Optional<Repair> repair) {
    public Drift {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(repair, "repair");
    }

    /** Returns the same difference without the result of a repair. */
    public Drift unrepaired() {
        return repair.isEmpty() ? this : new Drift(kind, volume, externalVolumeId, externalNodeId, Optional.empty());
    }

    /** The result of repairing a difference. */
    public enum Repair {
        /** The storage provider confirmed the repair. */
        DONE,
        /**
         * The intent to detach the volume is stored. The leader detaches the volume as in any release, and retries
         * until it succeeds.
         */
        BEGUN,
        /** The volume changed during the comparison, so the engine repaired nothing. */
        OVERTAKEN,
        /**
         * The storage provider did not confirm the repair, or this engine does not lead and the repair is to publish the
         * volume again. The next comparison tries again.
         */
        FAILED
    }
}
