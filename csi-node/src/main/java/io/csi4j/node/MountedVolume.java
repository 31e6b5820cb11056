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
 * @param labelApplied whether all files have the security label of the request, because the volume is mounted with it; the
 *     host then must not relabel them. If false, the files have the labels of the file system, and the host may relabel
 *     them if it runs the workload with a label
 */
public record MountedVolume(
        VolumeKey volume,
        AllocationId allocationId,
        Path targetPath,
        AttachmentMode attachmentMode,
        boolean readonly,
        boolean labelApplied) {
    public MountedVolume {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(targetPath, "targetPath");
        Objects.requireNonNull(attachmentMode, "attachmentMode");
    }

    /** Creates a volume that is not mounted with a security label. */
    public MountedVolume(
            VolumeKey volume,
            AllocationId allocationId,
            Path targetPath,
            AttachmentMode attachmentMode,
            boolean readonly) {
        this(volume, allocationId, targetPath, attachmentMode, readonly, false);
    }
}
