package io.csi4j.core.csi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of several volumes, cut at one write-ordered point (R97).
 */
public final class VolumeGroupSnapshot {
    private final GroupSnapshotId groupSnapshotId;
    private final List<Snapshot> snapshots;
    private final @Nullable Instant creationTime;
    private final boolean readyToUse;

    private VolumeGroupSnapshot(Builder builder) {
        this.groupSnapshotId = builder.groupSnapshotId;
        this.snapshots = List.copyOf(builder.snapshots);
        this.creationTime = builder.creationTime;
        this.readyToUse = builder.readyToUse;
    }

    /**
     * A builder with what is required.
     *
     * @param groupSnapshotId the provider's id
     * @return a new builder
     */
    public static Builder builder(GroupSnapshotId groupSnapshotId) {
        Builder builder = new Builder();
        builder.groupSnapshotId(groupSnapshotId);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.groupSnapshotId = groupSnapshotId;
        builder.snapshots = snapshots;
        builder.creationTime = creationTime;
        builder.readyToUse = readyToUse;
        return builder;
    }

    /**
     * The provider's id.
     *
     * @return the value, never null
     */
    public GroupSnapshotId groupSnapshotId() {
        return groupSnapshotId;
    }

    /**
     * The members.
     *
     * @return the value, never null
     */
    public List<Snapshot> snapshots() {
        return snapshots;
    }

    /**
     * When it was cut.
     *
     * @return the value; empty: not given
     */
    public Optional<Instant> creationTime() {
        return Optional.ofNullable(creationTime);
    }

    /**
     * Whether all members are ready.
     *
     * @return the value
     */
    public boolean readyToUse() {
        return readyToUse;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeGroupSnapshot that
                && groupSnapshotId.equals(that.groupSnapshotId)
                && snapshots.equals(that.snapshots)
                && Objects.equals(creationTime, that.creationTime)
                && readyToUse == that.readyToUse;
    }

    @Override
    public int hashCode() {
        return Objects.hash(groupSnapshotId, snapshots, creationTime, readyToUse);
    }

    @Override
    public String toString() {
        return "VolumeGroupSnapshot[groupSnapshotId=" + groupSnapshotId + ", snapshots=" + snapshots + ", creationTime="
                + creationTime + ", readyToUse=" + readyToUse + "]";
    }

    /** Builds {@link VolumeGroupSnapshot}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private GroupSnapshotId groupSnapshotId;

        private List<Snapshot> snapshots = List.of();
        private @Nullable Instant creationTime;
        private boolean readyToUse;

        private Builder() {}

        /**
         * Sets: the provider's id.
         *
         * @param groupSnapshotId the value
         * @return this
         */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
            return this;
        }

        /**
         * Sets: the members.
         *
         * @param snapshots the value
         * @return this
         */
        public Builder snapshots(List<Snapshot> snapshots) {
            this.snapshots = Objects.requireNonNull(snapshots, "snapshots");
            return this;
        }

        /**
         * Sets: when it was cut.
         *
         * @param creationTime the value
         * @return this
         */
        public Builder creationTime(Instant creationTime) {
            this.creationTime = Objects.requireNonNull(creationTime, "creationTime");
            return this;
        }

        /**
         * Sets: whether all members are ready.
         *
         * @param readyToUse the value
         * @return this
         */
        public Builder readyToUse(boolean readyToUse) {
            this.readyToUse = readyToUse;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public VolumeGroupSnapshot build() {
            return new VolumeGroupSnapshot(this);
        }
    }
}
