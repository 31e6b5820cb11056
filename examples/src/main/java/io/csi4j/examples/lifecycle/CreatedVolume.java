package io.csi4j.examples.lifecycle;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContext;

/**
 * A volume that exists.
 *
 * @param id the provider's id
 * @param context what goes along to every publish and stage (R57)
 * @param capacityBytes 0 if unknown
 */
record CreatedVolume(ExternalVolumeId id, VolumeContext context, long capacityBytes) {
    static CreatedVolume from(ExternalVolume volume) {
        return new CreatedVolume(volume.volumeId(), volume.volumeContext(), volume.capacityBytes());
    }

    /** What the log calls it; a step back that fails ends the way back for this subject. */
    String subject() {
        return "volume " + id;
    }

    CreatedVolume withCapacity(long bytes) {
        return new CreatedVolume(id, context, bytes);
    }
}
