package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import java.util.Objects;

/** Asks the plugin for the ranges that differ between two snapshots (CSI {@code GetMetadataDelta}, R101-R103). */
public final class GetMetadataDeltaRequest extends CsiRequest {
    private final SnapshotId baseSnapshotId;
    private final SnapshotId targetSnapshotId;
    private final long startingOffset;
    private final int maxResults;
    private final Secrets secrets;

    private GetMetadataDeltaRequest(Builder builder) {
        this.baseSnapshotId = builder.baseSnapshotId;
        this.targetSnapshotId = builder.targetSnapshotId;
        this.startingOffset = builder.startingOffset;
        this.maxResults = builder.maxResults;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("GetMetadataDeltaRequest");
        check.notNegative("startingOffset", startingOffset);
        check.notNegative("maxResults", maxResults);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param baseSnapshotId the earlier snapshot
     * @param targetSnapshotId the later snapshot of the same volume
     */
    public static Builder builder(SnapshotId baseSnapshotId, SnapshotId targetSnapshotId) {
        Builder builder = new Builder();
        builder.baseSnapshotId(baseSnapshotId);
        builder.targetSnapshotId(targetSnapshotId);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.baseSnapshotId = baseSnapshotId;
        builder.targetSnapshotId = targetSnapshotId;
        builder.startingOffset = startingOffset;
        builder.maxResults = maxResults;
        builder.secrets = secrets;
        return builder;
    }

    /** Returns the earlier snapshot. */
    public SnapshotId baseSnapshotId() {
        return baseSnapshotId;
    }

    /** Returns the later snapshot of the same volume. */
    public SnapshotId targetSnapshotId() {
        return targetSnapshotId;
    }

    /** Returns the byte offset at which the ranges begin: 0, or the end of the last received range (R102). */
    public long startingOffset() {
        return startingOffset;
    }

    /** Returns the largest number of ranges in one message; 0 for no limit. */
    public int maxResults() {
        return maxResults;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("baseSnapshotId", baseSnapshotId);
        fields.add("targetSnapshotId", targetSnapshotId);
        fields.add("startingOffset", startingOffset);
        fields.add("maxResults", maxResults);
        fields.add("secrets", secrets);
    }

    /** Builds {@link GetMetadataDeltaRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private SnapshotId baseSnapshotId;

        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private SnapshotId targetSnapshotId;

        private long startingOffset;
        private int maxResults;
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the earlier snapshot. */
        public Builder baseSnapshotId(SnapshotId baseSnapshotId) {
            this.baseSnapshotId = Objects.requireNonNull(baseSnapshotId, "baseSnapshotId");
            return this;
        }

        /** Sets the later snapshot of the same volume. */
        public Builder targetSnapshotId(SnapshotId targetSnapshotId) {
            this.targetSnapshotId = Objects.requireNonNull(targetSnapshotId, "targetSnapshotId");
            return this;
        }

        /** Sets the byte offset at which the ranges begin: 0, or the end of the last received range (R102). */
        public Builder startingOffset(long startingOffset) {
            this.startingOffset = startingOffset;
            return this;
        }

        /** Sets the largest number of ranges in one message; 0 for no limit. */
        public Builder maxResults(int maxResults) {
            this.maxResults = maxResults;
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
        public GetMetadataDeltaRequest build() {
            return new GetMetadataDeltaRequest(this);
        }
    }
}
