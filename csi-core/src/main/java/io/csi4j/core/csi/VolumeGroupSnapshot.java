package io.csi4j.core.csi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Snapshots of several volumes that were made at the same time (R97).
 *
 * @param groupSnapshotId the storage provider's id of the group
 * @param snapshots the snapshots in the group
 * @param creationTime the time at which the snapshots were made; empty if not reported
 * @param readyToUse whether all snapshots in the group are ready to use
 */
public record VolumeGroupSnapshot(
        GroupSnapshotId groupSnapshotId, List<Snapshot> snapshots, Optional<Instant> creationTime, boolean readyToUse) {
    public VolumeGroupSnapshot {
        Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
        snapshots = List.copyOf(Objects.requireNonNull(snapshots, "snapshots"));
        Objects.requireNonNull(creationTime, "creationTime");
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param groupSnapshotId the storage provider's id of the group
     */
    public static Builder builder(GroupSnapshotId groupSnapshotId) {
        Builder builder = new Builder();
        builder.groupSnapshotId(groupSnapshotId);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.groupSnapshotId = groupSnapshotId;
        builder.snapshots = snapshots;
        builder.creationTime = creationTime;
        builder.readyToUse = readyToUse;
        return builder;
    }

    /** Builds {@link VolumeGroupSnapshot}s. Not thread-safe. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private GroupSnapshotId groupSnapshotId;

        private List<Snapshot> snapshots = List.of();
        private Optional<Instant> creationTime = Optional.empty();
        private boolean readyToUse;

        private Builder() {}

        /** Sets the storage provider's id of the group. */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
            return this;
        }

        /** Sets the snapshots in the group. */
        public Builder snapshots(List<Snapshot> snapshots) {
            this.snapshots = Objects.requireNonNull(snapshots, "snapshots");
            return this;
        }

        /** Sets the time at which the snapshots were made. */
        public Builder creationTime(Instant creationTime) {
            this.creationTime = Optional.of(Objects.requireNonNull(creationTime, "creationTime"));
            return this;
        }

        /** Sets whether all snapshots in the group are ready to use. */
        public Builder readyToUse(boolean readyToUse) {
            this.readyToUse = readyToUse;
            return this;
        }

        public VolumeGroupSnapshot build() {
            return new VolumeGroupSnapshot(groupSnapshotId, snapshots, creationTime, readyToUse);
        }
    }
}
