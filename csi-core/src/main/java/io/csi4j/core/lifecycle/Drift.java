package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.DriftEvent;
import java.util.Objects;
import java.util.Optional;

/**
 * The provider and the state disagree on where a volume is attached (N8).
 *
 * @param kind which way
 * @param volume the volume here
 * @param externalVolumeId the provider's volume
 * @param externalNodeId the provider's id of the node
 * @param repair what came of the repair; empty: none was asked for, or the node is not one of this cluster (R71)
 */
public record Drift(
        DriftEvent.Kind kind,
        VolumeKey volume,
        ExternalVolumeId externalVolumeId,
        ExternalNodeId externalNodeId,
        Optional<Repair> repair) {
    /** Checks that all parts are there. */
    public Drift {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(repair, "repair");
    }

    /** What came of a repair. */
    public enum Repair {
        /** The provider confirmed it. */
        DONE,
        /** The intent to detach it is on record; the leader does it like any release, and tries until it is done. */
        BEGUN,
        /** The volume changed meanwhile, so nothing was done. */
        OVERTAKEN,
        /** The provider did not confirm it; the next run tries again. */
        FAILED
    }
}
