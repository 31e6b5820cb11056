package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import java.util.List;
import java.util.Objects;

/**
 * What the controller service offers (CSI {@code ControllerGetCapabilities}, R42).
 */
public final class ControllerGetCapabilitiesResponse extends CsiMessage {
    private final CapabilitySet<ControllerCapability> capabilities;

    private ControllerGetCapabilitiesResponse(Builder builder) {
        this.capabilities = builder.capabilities;
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
        builder.capabilities = capabilities;
        return builder;
    }

    /**
     * What is offered.
     *
     * @return the value, never null
     */
    public CapabilitySet<ControllerCapability> capabilities() {
        return capabilities;
    }

    @Override
    void describe(Fields fields) {
        fields.add("capabilities", capabilities);
    }

    /** Builds {@link ControllerGetCapabilitiesResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private CapabilitySet<ControllerCapability> capabilities =
                CapabilitySet.of(ControllerCapability.class, List.of());

        private Builder() {}

        /**
         * Sets: what is offered.
         *
         * @param capabilities the value
         * @return this
         */
        public Builder capabilities(CapabilitySet<ControllerCapability> capabilities) {
            this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ControllerGetCapabilitiesResponse build() {
            return new ControllerGetCapabilitiesResponse(this);
        }
    }
}
