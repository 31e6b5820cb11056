package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import java.util.List;
import java.util.Objects;

/**
 * The union of what all instances of the plugin offer (CSI {@code GetPluginCapabilities}, R38).
 */
public final class GetPluginCapabilitiesResponse extends CsiMessage {
    private final CapabilitySet<PluginService> services;
    private final CapabilitySet<VolumeExpansion> volumeExpansion;

    private GetPluginCapabilitiesResponse(Builder builder) {
        this.services = builder.services;
        this.volumeExpansion = builder.volumeExpansion;
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
        builder.services = services;
        builder.volumeExpansion = volumeExpansion;
        return builder;
    }

    /**
     * Services and constraints.
     *
     * @return the value, never null
     */
    public CapabilitySet<PluginService> services() {
        return services;
    }

    /**
     * When volumes can grow.
     *
     * @return the value, never null
     */
    public CapabilitySet<VolumeExpansion> volumeExpansion() {
        return volumeExpansion;
    }

    @Override
    void describe(Fields fields) {
        fields.add("services", services);
        fields.add("volumeExpansion", volumeExpansion);
    }

    /** Builds {@link GetPluginCapabilitiesResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private CapabilitySet<PluginService> services = CapabilitySet.of(PluginService.class, List.of());
        private CapabilitySet<VolumeExpansion> volumeExpansion = CapabilitySet.of(VolumeExpansion.class, List.of());

        private Builder() {}

        /**
         * Sets: services and constraints.
         *
         * @param services the value
         * @return this
         */
        public Builder services(CapabilitySet<PluginService> services) {
            this.services = Objects.requireNonNull(services, "services");
            return this;
        }

        /**
         * Sets: when volumes can grow.
         *
         * @param volumeExpansion the value
         * @return this
         */
        public Builder volumeExpansion(CapabilitySet<VolumeExpansion> volumeExpansion) {
            this.volumeExpansion = Objects.requireNonNull(volumeExpansion, "volumeExpansion");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetPluginCapabilitiesResponse build() {
            return new GetPluginCapabilitiesResponse(this);
        }
    }
}
