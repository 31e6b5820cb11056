package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.List;
import java.util.Objects;

/**
 * A page of abnormal volumes (CSI {@code ControllerListVolumeHealth}, R104).
 */
public final class ControllerListVolumeHealthResponse extends CsiMessage {
    private final List<VolumeHealth> entries;
    private final String nextToken;

    private ControllerListVolumeHealthResponse(Builder builder) {
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
     * The abnormal volumes of this page.
     *
     * @return the value, never null
     */
    public List<VolumeHealth> entries() {
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

    /** Builds {@link ControllerListVolumeHealthResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<VolumeHealth> entries = List.of();
        private String nextToken = "";

        private Builder() {}

        /**
         * Sets: the abnormal volumes of this page.
         *
         * @param entries the value
         * @return this
         */
        public Builder entries(List<VolumeHealth> entries) {
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
        public ControllerListVolumeHealthResponse build() {
            return new ControllerListVolumeHealthResponse(this);
        }
    }
}
