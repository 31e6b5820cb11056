package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import java.util.Objects;

/**
 * Asks the plugin to delete a snapshot that is in no group (CSI {@code DeleteSnapshot}, R80). The call succeeds if the
 * snapshot does not exist.
 */
public final class DeleteSnapshotRequest extends CsiRequest {
    private final SnapshotId snapshotId;
    private final Secrets secrets;

    private DeleteSnapshotRequest(Builder builder) {
        this.snapshotId = builder.snapshotId;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("DeleteSnapshotRequest");
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param snapshotId the snapshot
     */
    public static Builder builder(SnapshotId snapshotId) {
        Builder builder = new Builder();
        builder.snapshotId(snapshotId);
        return builder;
    }

    /** Returns the snapshot. */
    public SnapshotId snapshotId() {
        return snapshotId;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("snapshotId", snapshotId);
        fields.add("secrets", secrets);
    }

    /** Builds {@link DeleteSnapshotRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private SnapshotId snapshotId;

        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the snapshot. */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public DeleteSnapshotRequest build() {
            return new DeleteSnapshotRequest(this);
        }
    }
}
