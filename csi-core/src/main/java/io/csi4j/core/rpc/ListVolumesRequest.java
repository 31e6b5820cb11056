package io.csi4j.core.rpc;

import java.util.Objects;

/** Asks the plugin for a page of volumes (CSI {@code ListVolumes}, R70-R72). */
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

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the largest number of entries in the response; 0 for no limit (R70). */
    public int maxEntries() {
        return maxEntries;
    }

    /** Returns the token of the next page from an earlier response; empty for the first page. */
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

        /** Sets the largest number of entries in the response; 0 for no limit (R70). */
        public Builder maxEntries(int maxEntries) {
            this.maxEntries = maxEntries;
            return this;
        }

        /** Sets the token of the next page from an earlier response; empty for the first page. */
        public Builder startingToken(String startingToken) {
            this.startingToken = Objects.requireNonNull(startingToken, "startingToken");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public ListVolumesRequest build() {
            return new ListVolumesRequest(this);
        }
    }
}
