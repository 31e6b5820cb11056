package io.csi4j.core.csi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A snapshot of one volume (R76, R77).
 *
 * @param snapshotId the storage provider's id of the snapshot
 * @param sourceVolumeId the volume from which the snapshot was made
 * @param sizeBytes the smallest size in bytes of a volume that is restored from the snapshot; 0 if unknown
 * @param creationTime the time at which the snapshot was made; empty if not reported
 * @param readyToUse whether a volume can be restored from the snapshot
 * @param groupSnapshotId the group snapshot that contains the snapshot; empty if there is none, or not reported
 * @param accessibleTopology the topologies from which the snapshot is accessible (since CSI 1.13); empty if not
 *     reported
 */
public record Snapshot(
        SnapshotId snapshotId,
        ExternalVolumeId sourceVolumeId,
        long sizeBytes,
        Optional<Instant> creationTime,
        boolean readyToUse,
        Optional<GroupSnapshotId> groupSnapshotId,
        List<Topology> accessibleTopology) {
    public Snapshot {
        Objects.requireNonNull(snapshotId, "snapshotId");
        Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
        Objects.requireNonNull(creationTime, "creationTime");
        Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
        accessibleTopology = List.copyOf(Objects.requireNonNull(accessibleTopology, "accessibleTopology"));
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param snapshotId the storage provider's id of the snapshot
     * @param sourceVolumeId the volume from which the snapshot was made
     */
    public static Builder builder(SnapshotId snapshotId, ExternalVolumeId sourceVolumeId) {
        Builder builder = new Builder();
        builder.snapshotId(snapshotId);
        builder.sourceVolumeId(sourceVolumeId);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.snapshotId = snapshotId;
        builder.sourceVolumeId = sourceVolumeId;
        builder.sizeBytes = sizeBytes;
        builder.creationTime = creationTime;
        builder.readyToUse = readyToUse;
        builder.groupSnapshotId = groupSnapshotId;
        builder.accessibleTopology = accessibleTopology;
        return builder;
    }

    /** Builds {@link Snapshot}s. Not thread-safe. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private SnapshotId snapshotId;

        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId sourceVolumeId;

        private long sizeBytes;
        private Optional<Instant> creationTime = Optional.empty();
        private boolean readyToUse;
        private Optional<GroupSnapshotId> groupSnapshotId = Optional.empty();
        private List<Topology> accessibleTopology = List.of();

        private Builder() {}

        /** Sets the storage provider's id of the snapshot. */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
            return this;
        }

        /** Sets the volume from which the snapshot was made. */
        public Builder sourceVolumeId(ExternalVolumeId sourceVolumeId) {
            this.sourceVolumeId = Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
            return this;
        }

        /** Sets the smallest size in bytes of a volume that is restored from the snapshot; 0 if unknown. */
        public Builder sizeBytes(long sizeBytes) {
            this.sizeBytes = sizeBytes;
            return this;
        }

        /** Sets the time at which the snapshot was made. */
        public Builder creationTime(Instant creationTime) {
            this.creationTime = Optional.of(Objects.requireNonNull(creationTime, "creationTime"));
            return this;
        }

        /** Sets whether a volume can be restored from the snapshot. */
        public Builder readyToUse(boolean readyToUse) {
            this.readyToUse = readyToUse;
            return this;
        }

        /** Sets the group snapshot that contains the snapshot. */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Optional.of(Objects.requireNonNull(groupSnapshotId, "groupSnapshotId"));
            return this;
        }

        /** Sets the topologies from which the snapshot is accessible; since CSI 1.13. */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        public Snapshot build() {
            return new Snapshot(
                    snapshotId,
                    sourceVolumeId,
                    sizeBytes,
                    creationTime,
                    readyToUse,
                    groupSnapshotId,
                    accessibleTopology);
        }
    }
}
