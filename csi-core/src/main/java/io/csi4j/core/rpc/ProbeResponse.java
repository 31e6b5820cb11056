package io.csi4j.core.rpc;

/**
 * The plugin is well (CSI {@code Probe}, R39).
 */
public final class ProbeResponse extends CsiMessage {
    private final boolean ready;

    private ProbeResponse(Builder builder) {
        this.ready = builder.ready;
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
        builder.ready = ready;
        return builder;
    }

    /**
     * False while the plugin is still starting, which is not an illness; a plugin that does not say is ready.
     *
     * @return the value
     */
    public boolean ready() {
        return ready;
    }

    @Override
    void describe(Fields fields) {
        fields.add("ready", ready);
    }

    /** Builds {@link ProbeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private boolean ready = true;

        private Builder() {}

        /**
         * Sets: false while the plugin is still starting, which is not an illness; a plugin that does not say is ready.
         *
         * @param ready the value
         * @return this
         */
        public Builder ready(boolean ready) {
            this.ready = ready;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ProbeResponse build() {
            return new ProbeResponse(this);
        }
    }
}
