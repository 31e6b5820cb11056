package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * One snapshot (CSI {@code GetSnapshot}, alpha).
 */
public final class GetSnapshotResponse extends CsiMessage {
    private final Snapshot snapshot;

    private GetSnapshotResponse(Builder builder) {
        this.snapshot = builder.snapshot;
    }

    /**
     * A builder with what is required.
     *
     * @param snapshot the snapshot
     * @return a new builder
     */
    public static Builder builder(Snapshot snapshot) {
        Builder builder = new Builder();
        builder.snapshot(snapshot);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.snapshot = snapshot;
        return builder;
    }

    /**
     * The snapshot.
     *
     * @return the value, never null
     */
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    void describe(Fields fields) {
        fields.add("snapshot", snapshot);
    }

    /** Builds {@link GetSnapshotResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private Snapshot snapshot;

        private Builder() {}

        /**
         * Sets: the snapshot.
         *
         * @param snapshot the value
         * @return this
         */
        public Builder snapshot(Snapshot snapshot) {
            this.snapshot = Objects.requireNonNull(snapshot, "snapshot");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetSnapshotResponse build() {
            return new GetSnapshotResponse(this);
        }
    }
}
