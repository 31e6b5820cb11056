package io.csi4j.examples.lifecycle;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContext;

/**
 * A volume that exists.
 *
 * @param id the provider's id
 * @param context the context for each publish and stage call (R57)
 * @param capacityBytes 0 if unknown
 */
record CreatedVolume(ExternalVolumeId id, VolumeContext context, long capacityBytes) {
    static CreatedVolume from(ExternalVolume volume) {
        return new CreatedVolume(volume.volumeId(), volume.volumeContext(), volume.capacityBytes());
    }

    /** The volume's name in the log; a failed undo step ends the undo for this subject. */
    String subject() {
        return "volume " + id;
    }

    CreatedVolume withCapacity(long bytes) {
        return new CreatedVolume(id, context, bytes);
    }
}
