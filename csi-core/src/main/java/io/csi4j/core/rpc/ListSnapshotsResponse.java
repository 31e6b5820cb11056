package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.List;
import java.util.Objects;

/**
 * A page of snapshots (CSI {@code ListSnapshots}, R81).
 */
public final class ListSnapshotsResponse extends CsiMessage {
    private final List<Snapshot> entries;
    private final String nextToken;

    private ListSnapshotsResponse(Builder builder) {
        this.entries = List.copyOf(builder.entries);
        this.nextToken = builder.nextToken;
    }

    /**
     * A builder.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.entries = entries;
        builder.nextToken = nextToken;
        return builder;
    }

    /**
     * The snapshots of this page.
     *
     * @return the value, never null
     */
    public List<Snapshot> entries() {
        return entries;
    }

    /**
     * Where the next page begins; empty after the last page.
     *
     * @return the value, never null
     */
    public String nextToken() {
        return nextToken;
    }

    @Override
    void describe(Fields fields) {
        fields.add("entries", entries);
        fields.add("nextToken", nextToken);
    }

    /** Builds {@link ListSnapshotsResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<Snapshot> entries = List.of();
        private String nextToken = "";

        private Builder() {}

        /**
         * Sets: the snapshots of this page.
         *
         * @param entries the value
         * @return this
         */
        public Builder entries(List<Snapshot> entries) {
            this.entries = Objects.requireNonNull(entries, "entries");
            return this;
        }

        /**
         * Sets: where the next page begins; empty after the last page.
         *
         * @param nextToken the value
         * @return this
         */
        public Builder nextToken(String nextToken) {
            this.nextToken = Objects.requireNonNull(nextToken, "nextToken");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ListSnapshotsResponse build() {
            return new ListSnapshotsResponse(this);
        }
    }
}
