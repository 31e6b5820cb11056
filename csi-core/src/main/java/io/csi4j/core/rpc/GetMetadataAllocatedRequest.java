package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import java.util.Objects;

/** Asks the plugin for the allocated ranges of a snapshot (CSI {@code GetMetadataAllocated}, R101-R103). */
public final class GetMetadataAllocatedRequest extends CsiRequest {
    private final SnapshotId snapshotId;
    private final long startingOffset;
    private final int maxResults;
    private final Secrets secrets;

    private GetMetadataAllocatedRequest(Builder builder) {
        this.snapshotId = builder.snapshotId;
        this.startingOffset = builder.startingOffset;
        this.maxResults = builder.maxResults;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("GetMetadataAllocatedRequest");
        check.notNegative("startingOffset", startingOffset);
        check.notNegative("maxResults", maxResults);
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

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.snapshotId = snapshotId;
        builder.startingOffset = startingOffset;
        builder.maxResults = maxResults;
        builder.secrets = secrets;
        return builder;
    }

    /** Returns the snapshot. */
    public SnapshotId snapshotId() {
        return snapshotId;
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
        fields.add("snapshotId", snapshotId);
        fields.add("startingOffset", startingOffset);
        fields.add("maxResults", maxResults);
        fields.add("secrets", secrets);
    }

    /** Builds {@link GetMetadataAllocatedRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private SnapshotId snapshotId;

        private long startingOffset;
        private int maxResults;
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the snapshot. */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
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
        public GetMetadataAllocatedRequest build() {
            return new GetMetadataAllocatedRequest(this);
        }
    }
}
