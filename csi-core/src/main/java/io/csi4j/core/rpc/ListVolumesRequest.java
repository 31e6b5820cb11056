package io.csi4j.core.rpc;

import java.util.Objects;

/**
 * Asks for a page of volumes (CSI {@code ListVolumes}, R70-R72).
 */
public final class ListVolumesRequest extends CsiRequest {
    private final int maxEntries;
    private final String startingToken;

    private ListVolumesRequest(Builder builder) {
        this.maxEntries = builder.maxEntries;
        this.startingToken = builder.startingToken;
        RequestCheck check = new RequestCheck("ListVolumesRequest");
        check.notNegative("maxEntries", maxEntries);
        check.done();
    }

    /** A builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** The most entries the answer may hold; 0 for no limit (R70). */
    public int maxEntries() {
        return maxEntries;
    }

    /** Where to go on, as an earlier answer told; empty to begin. */
    public String startingToken() {
        return startingToken;
    }

    @Override
    void describe(Fields fields) {
        fields.add("maxEntries", maxEntries);
        fields.add("startingToken", startingToken);
    }

    /** Builds {@link ListVolumesRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private int maxEntries;
        private String startingToken = "";

        private Builder() {}

        /** Sets: the most entries the answer may hold; 0 for no limit (R70). */
        public Builder maxEntries(int maxEntries) {
            this.maxEntries = maxEntries;
            return this;
        }

        /** Sets: where to go on, as an earlier answer told; empty to begin. */
        public Builder startingToken(String startingToken) {
            this.startingToken = Objects.requireNonNull(startingToken, "startingToken");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public ListVolumesRequest build() {
            return new ListVolumesRequest(this);
        }
    }
}
