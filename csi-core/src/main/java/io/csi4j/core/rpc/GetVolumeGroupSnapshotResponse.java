package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.Objects;

/**
 * One group snapshot (CSI {@code GetVolumeGroupSnapshot}).
 */
public final class GetVolumeGroupSnapshotResponse extends CsiMessage {
    private final VolumeGroupSnapshot groupSnapshot;

    private GetVolumeGroupSnapshotResponse(Builder builder) {
        this.groupSnapshot = builder.groupSnapshot;
    }

    /**
     * A builder with what is required.
     *
     * @param groupSnapshot the group snapshot
     * @return a new builder
     */
    public static Builder builder(VolumeGroupSnapshot groupSnapshot) {
        Builder builder = new Builder();
        builder.groupSnapshot(groupSnapshot);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.groupSnapshot = groupSnapshot;
        return builder;
    }

    /**
     * The group snapshot.
     *
     * @return the value, never null
     */
    public VolumeGroupSnapshot groupSnapshot() {
        return groupSnapshot;
    }

    @Override
    void describe(Fields fields) {
        fields.add("groupSnapshot", groupSnapshot);
    }

    /** Builds {@link GetVolumeGroupSnapshotResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private VolumeGroupSnapshot groupSnapshot;

        private Builder() {}

        /**
         * Sets: the group snapshot.
         *
         * @param groupSnapshot the value
         * @return this
         */
        public Builder groupSnapshot(VolumeGroupSnapshot groupSnapshot) {
            this.groupSnapshot = Objects.requireNonNull(groupSnapshot, "groupSnapshot");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetVolumeGroupSnapshotResponse build() {
            return new GetVolumeGroupSnapshotResponse(this);
        }
    }
}
