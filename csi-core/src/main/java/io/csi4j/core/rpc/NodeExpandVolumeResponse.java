package io.csi4j.core.rpc;

/**
 * What is on the node has grown (CSI {@code NodeExpandVolume}).
 */
public final class NodeExpandVolumeResponse extends CsiMessage {
    private final long capacityBytes;

    private NodeExpandVolumeResponse(Builder builder) {
        this.capacityBytes = builder.capacityBytes;
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
        builder.capacityBytes = capacityBytes;
        return builder;
    }

    /**
     * The new size in bytes; 0 for unknown.
     *
     * @return the value
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    @Override
    void describe(Fields fields) {
        fields.add("capacityBytes", capacityBytes);
    }

    /** Builds {@link NodeExpandVolumeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private long capacityBytes;

        private Builder() {}

        /**
         * Sets: the new size in bytes; 0 for unknown.
         *
         * @param capacityBytes the value
         * @return this
         */
        public Builder capacityBytes(long capacityBytes) {
            this.capacityBytes = capacityBytes;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public NodeExpandVolumeResponse build() {
            return new NodeExpandVolumeResponse(this);
        }
    }
}
