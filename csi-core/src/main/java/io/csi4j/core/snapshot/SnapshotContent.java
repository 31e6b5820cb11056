package io.csi4j.core.snapshot;

import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Facts about the content of a snapshot that a volume restored from it has to fit.
 *
 * @param capacityBytes the size of the source volume when its snapshot was made, or a size that it had soon after; 0 if it is not known
 * @param attachmentModes how the source volume could be used: as a mounted file system, a block device, or both; empty if
 *     it is not known
 */
public record SnapshotContent(long capacityBytes, Set<AttachmentMode> attachmentModes) {
    /** Nothing is known about the content. */
    public static final SnapshotContent UNKNOWN = new SnapshotContent(0, Set.of());

    public SnapshotContent {
        if (capacityBytes < 0) {
            throw new IllegalArgumentException(
                    "SnapshotContent: capacityBytes is " + capacityBytes + "; give 0 if it is not known");
        }
        attachmentModes = Collections.unmodifiableSet(new TreeSet<>(attachmentModes));
    }

    /** Returns what a snapshot of a volume would contain now. */
    public static SnapshotContent of(Volume volume) {
        Set<AttachmentMode> modes = EnumSet.noneOf(AttachmentMode.class);
        for (RequestedCapability capability : volume.spec().requestedCapabilities()) {
            modes.add(capability.attachmentMode());
        }
        return new SnapshotContent(volume.facts().capacityBytes(), modes);
    }
}
