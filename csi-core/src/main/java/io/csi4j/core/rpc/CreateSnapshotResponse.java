package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * The snapshot that was cut, or had been cut by the same request (CSI {@code CreateSnapshot}).
 */
public final class CreateSnapshotResponse extends CsiMessage {
    private final Snapshot snapshot;

    private CreateSnapshotResponse(Builder builder) {
        this.snapshot = builder.snapshot;
    }

    /**
     * A builder with what is required.
     *
     * @param snapshot the snapshot; maybe not ready yet (R77)
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
     * The snapshot; maybe not ready yet (R77).
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

    /** Builds {@link CreateSnapshotResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private Snapshot snapshot;

        private Builder() {}

        /**
         * Sets: the snapshot; maybe not ready yet (R77).
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
        public CreateSnapshotResponse build() {
            return new CreateSnapshotResponse(this);
        }
    }
}
