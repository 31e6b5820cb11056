package io.csi4j.core.csi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A cut of one volume at one point of time (R76, R77).
 *
 * @param snapshotId the provider's id
 * @param sourceVolumeId the volume that was cut
 * @param sizeBytes the size in bytes that a restored volume needs at least; 0 for unknown
 * @param creationTime when it was cut; empty: not given
 * @param readyToUse whether a volume can be restored from it
 * @param groupSnapshotId the group snapshot it is a member of; empty: none, or not given
 * @param accessibleTopology from where it is accessible (CSI 1.13); empty: not given
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
     * A builder with what is required.
     *
     * @param snapshotId the provider's id
     * @param sourceVolumeId the volume that was cut
     */
    public static Builder builder(SnapshotId snapshotId, ExternalVolumeId sourceVolumeId) {
        Builder builder = new Builder();
        builder.snapshotId(snapshotId);
        builder.sourceVolumeId(sourceVolumeId);
        return builder;
    }

    /** A builder that begins with these values. */
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

    /** Builds {@link Snapshot}s. Not safe for use by several threads. */
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

        /** Sets: the provider's id. */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
            return this;
        }

        /** Sets: the volume that was cut. */
        public Builder sourceVolumeId(ExternalVolumeId sourceVolumeId) {
            this.sourceVolumeId = Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
            return this;
        }

        /** Sets: the size a restored volume needs at least; 0 for unknown. */
        public Builder sizeBytes(long sizeBytes) {
            this.sizeBytes = sizeBytes;
            return this;
        }

        /** Sets: when it was cut. */
        public Builder creationTime(Instant creationTime) {
            this.creationTime = Optional.of(Objects.requireNonNull(creationTime, "creationTime"));
            return this;
        }

        /** Sets: whether a volume can be restored from it. */
        public Builder readyToUse(boolean readyToUse) {
            this.readyToUse = readyToUse;
            return this;
        }

        /** Sets: the group snapshot it is a member of. */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Optional.of(Objects.requireNonNull(groupSnapshotId, "groupSnapshotId"));
            return this;
        }

        /** Sets: from where it is accessible; CSI 1.13. */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /** The value built so far. */
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
