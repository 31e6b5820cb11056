package io.csi4j.core.rpc;

import io.csi4j.core.csi.PublishContext;
import java.util.Objects;

/**
 * The volume is available on the node (CSI {@code ControllerPublishVolume}, R63).
 */
public final class ControllerPublishVolumeResponse extends CsiMessage {
    private final PublishContext publishContext;

    private ControllerPublishVolumeResponse(Builder builder) {
        this.publishContext = builder.publishContext;
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
        builder.publishContext = publishContext;
        return builder;
    }

    /**
     * What stage and publish on the node need.
     *
     * @return the value, never null
     */
    public PublishContext publishContext() {
        return publishContext;
    }

    @Override
    void describe(Fields fields) {
        fields.add("publishContext", publishContext);
    }

    /** Builds {@link ControllerPublishVolumeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private PublishContext publishContext = PublishContext.empty();

        private Builder() {}

        /**
         * Sets: what stage and publish on the node need.
         *
         * @param publishContext the value
         * @return this
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ControllerPublishVolumeResponse build() {
            return new ControllerPublishVolumeResponse(this);
        }
    }
}
