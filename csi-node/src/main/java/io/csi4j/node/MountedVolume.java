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
 * @param allocationId the allocation that uses the volume
 * @param targetPath the path on the host: a directory, or a device file for {@link AttachmentMode#BLOCK}
 * @param attachmentMode whether the path is a directory or a device file
 * @param readonly whether the use is read-only
 */
public record MountedVolume(
        VolumeKey volume, AllocationId allocationId, Path targetPath, AttachmentMode attachmentMode, boolean readonly) {
    public MountedVolume {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(targetPath, "targetPath");
        Objects.requireNonNull(attachmentMode, "attachmentMode");
    }
}
