package io.csi4j.core.csi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cut of one volume at one point of time (R76, R77).
 */
public final class Snapshot {
    private final SnapshotId snapshotId;
    private final ExternalVolumeId sourceVolumeId;
    private final long sizeBytes;
    private final @Nullable Instant creationTime;
    private final boolean readyToUse;
    private final @Nullable GroupSnapshotId groupSnapshotId;
    private final List<Topology> accessibleTopology;

    private Snapshot(Builder builder) {
        this.snapshotId = builder.snapshotId;
        this.sourceVolumeId = builder.sourceVolumeId;
        this.sizeBytes = builder.sizeBytes;
        this.creationTime = builder.creationTime;
        this.readyToUse = builder.readyToUse;
        this.groupSnapshotId = builder.groupSnapshotId;
        this.accessibleTopology = List.copyOf(builder.accessibleTopology);
    }

    /**
     * A builder with what is required.
     *
     * @param snapshotId the provider's id
     * @param sourceVolumeId the volume that was cut
     * @return a new builder
     */
    public static Builder builder(SnapshotId snapshotId, ExternalVolumeId sourceVolumeId) {
        Builder builder = new Builder();
        builder.snapshotId(snapshotId);
        builder.sourceVolumeId(sourceVolumeId);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
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

    /**
     * The provider's id.
     *
     * @return the value, never null
     */
    public SnapshotId snapshotId() {
        return snapshotId;
    }

    /**
     * The volume that was cut.
     *
     * @return the value, never null
     */
    public ExternalVolumeId sourceVolumeId() {
        return sourceVolumeId;
    }

    /**
     * The size a restored volume needs at least; 0 for unknown.
     *
     * @return the value
     */
    public long sizeBytes() {
        return sizeBytes;
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
     * Whether a volume can be restored from it.
     *
     * @return the value
     */
    public boolean readyToUse() {
        return readyToUse;
    }

    /**
     * The group snapshot it is a member of.
     *
     * @return the value; empty: not given
     */
    public Optional<GroupSnapshotId> groupSnapshotId() {
        return Optional.ofNullable(groupSnapshotId);
    }

    /**
     * From where it is accessible; CSI 1.13.
     *
     * @return the value, never null
     */
    public List<Topology> accessibleTopology() {
        return accessibleTopology;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Snapshot that
                && snapshotId.equals(that.snapshotId)
                && sourceVolumeId.equals(that.sourceVolumeId)
                && sizeBytes == that.sizeBytes
                && Objects.equals(creationTime, that.creationTime)
                && readyToUse == that.readyToUse
                && Objects.equals(groupSnapshotId, that.groupSnapshotId)
                && accessibleTopology.equals(that.accessibleTopology);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                snapshotId, sourceVolumeId, sizeBytes, creationTime, readyToUse, groupSnapshotId, accessibleTopology);
    }

    @Override
    public String toString() {
        return "Snapshot[snapshotId=" + snapshotId + ", sourceVolumeId=" + sourceVolumeId + ", sizeBytes=" + sizeBytes
                + ", creationTime=" + creationTime + ", readyToUse=" + readyToUse + ", groupSnapshotId="
                + groupSnapshotId + ", accessibleTopology=" + accessibleTopology + "]";
    }

    /** Builds {@link Snapshot}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private SnapshotId snapshotId;

        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId sourceVolumeId;

        private long sizeBytes;
        private @Nullable Instant creationTime;
        private boolean readyToUse;
        private @Nullable GroupSnapshotId groupSnapshotId;
        private List<Topology> accessibleTopology = List.of();

        private Builder() {}

        /**
         * Sets: the provider's id.
         *
         * @param snapshotId the value
         * @return this
         */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
            return this;
        }

        /**
         * Sets: the volume that was cut.
         *
         * @param sourceVolumeId the value
         * @return this
         */
        public Builder sourceVolumeId(ExternalVolumeId sourceVolumeId) {
            this.sourceVolumeId = Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
            return this;
        }

        /**
         * Sets: the size a restored volume needs at least; 0 for unknown.
         *
         * @param sizeBytes the value
         * @return this
         */
        public Builder sizeBytes(long sizeBytes) {
            this.sizeBytes = sizeBytes;
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
         * Sets: whether a volume can be restored from it.
         *
         * @param readyToUse the value
         * @return this
         */
        public Builder readyToUse(boolean readyToUse) {
            this.readyToUse = readyToUse;
            return this;
        }

        /**
         * Sets: the group snapshot it is a member of.
         *
         * @param groupSnapshotId the value
         * @return this
         */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
            return this;
        }

        /**
         * Sets: from where it is accessible; CSI 1.13.
         *
         * @param accessibleTopology the value
         * @return this
         */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public Snapshot build() {
            return new Snapshot(this);
        }
    }
}
