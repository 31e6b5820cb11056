package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A volume at a path where a workload can use it.
 *
 * @param volume the volume
 * @param allocationId who uses it
 * @param targetPath where it is, as the host sees it: a directory, or a device file for {@link AttachmentMode#BLOCK}
 * @param attachmentMode what there is at the path
 * @param readonly whether it may only be read
 */
public record MountedVolume(
        VolumeKey volume, AllocationId allocationId, Path targetPath, AttachmentMode attachmentMode, boolean readonly) {
    /** Checks that all parts are there. */
    public MountedVolume {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(targetPath, "targetPath");
        Objects.requireNonNull(attachmentMode, "attachmentMode");
    }
}
