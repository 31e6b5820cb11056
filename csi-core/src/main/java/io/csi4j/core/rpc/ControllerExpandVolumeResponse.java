package io.csi4j.core.rpc;

/**
 * The backing volume has grown (CSI {@code ControllerExpandVolume}, R83).
 */
public final class ControllerExpandVolumeResponse extends CsiMessage {
    private final long capacityBytes;
    private final boolean nodeExpansionRequired;

    private ControllerExpandVolumeResponse(Builder builder) {
        this.capacityBytes = builder.capacityBytes;
        this.nodeExpansionRequired = builder.nodeExpansionRequired;
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
        builder.nodeExpansionRequired = nodeExpansionRequired;
        return builder;
    }

    /**
     * The new size in bytes.
     *
     * @return the value
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * Whether NodeExpandVolume has to follow.
     *
     * @return the value
     */
    public boolean nodeExpansionRequired() {
        return nodeExpansionRequired;
    }

    @Override
    void describe(Fields fields) {
        fields.add("capacityBytes", capacityBytes);
        fields.add("nodeExpansionRequired", nodeExpansionRequired);
    }

    /** Builds {@link ControllerExpandVolumeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private long capacityBytes;
        private boolean nodeExpansionRequired;

        private Builder() {}

        /**
         * Sets: the new size in bytes.
         *
         * @param capacityBytes the value
         * @return this
         */
        public Builder capacityBytes(long capacityBytes) {
            this.capacityBytes = capacityBytes;
            return this;
        }

        /**
         * Sets: whether NodeExpandVolume has to follow.
         *
         * @param nodeExpansionRequired the value
         * @return this
         */
        public Builder nodeExpansionRequired(boolean nodeExpansionRequired) {
            this.nodeExpansionRequired = nodeExpansionRequired;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ControllerExpandVolumeResponse build() {
            return new ControllerExpandVolumeResponse(this);
        }
    }
}
