package io.csi4j.core.plugin;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Text;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.PluginId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last known good facts about a plugin (R38). Only a healthy instance's answers change them, and
 * absence erases nothing: a plugin that is restarting still has the capabilities it had. Immutable.
 */
public final class PluginFacts {
    private final PluginId pluginId;
    private final @Nullable String provider;
    private final @Nullable String vendorVersion;
    private final @Nullable CapabilitySet<PluginService> services;
    private final @Nullable CapabilitySet<ControllerCapability> controllerCapabilities;
    private final @Nullable CapabilitySet<NodeCapability> nodeCapabilities;
    private final @Nullable CapabilitySet<VolumeExpansion> volumeExpansion;

    private PluginFacts(Builder builder) {
        this.pluginId = builder.pluginId;
        this.provider = builder.provider;
        this.vendorVersion = builder.vendorVersion;
        this.services = builder.services;
        this.controllerCapabilities = builder.controllerCapabilities;
        this.nodeCapabilities = builder.nodeCapabilities;
        this.volumeExpansion = builder.volumeExpansion;
    }

    /**
     * A builder with nothing known.
     *
     * @param pluginId the plugin
     * @return a new builder
     */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /**
     * These facts after a fingerprint: what a healthy instance told replaces what was known, and
     * nothing else changes.
     *
     * @param instance the fingerprint
     * @return the facts to store
     */
    public PluginFacts after(PluginInstance instance) {
        if (!instance.healthy()) {
            return this;
        }
        Builder builder = new Builder(pluginId);
        builder.provider = instance.provider().orElse(provider);
        builder.vendorVersion = instance.vendorVersion().orElse(vendorVersion);
        builder.services = instance.services().orElse(services);
        builder.controllerCapabilities = instance.controllerCapabilities().orElse(controllerCapabilities);
        builder.nodeCapabilities = instance.nodeCapabilities().orElse(nodeCapabilities);
        builder.volumeExpansion = instance.volumeExpansion().orElse(volumeExpansion);
        return builder.build();
    }

    /**
     * The plugin.
     *
     * @return its id
     */
    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * The name GetPluginInfo told (R37, S29), at last.
     *
     * @return empty: not told
     */
    public Optional<String> provider() {
        return Optional.ofNullable(provider);
    }

    /**
     * The vendor version GetPluginInfo told (R37, S29), at last.
     *
     * @return empty: not told
     */
    public Optional<String> vendorVersion() {
        return Optional.ofNullable(vendorVersion);
    }

    /**
     * What GetPluginCapabilities told (R38), at last.
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<PluginService>> services() {
        return Optional.ofNullable(services);
    }

    /**
     * What ControllerGetCapabilities told, at last.
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<ControllerCapability>> controllerCapabilities() {
        return Optional.ofNullable(controllerCapabilities);
    }

    /**
     * What NodeGetCapabilities told, at last.
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<NodeCapability>> nodeCapabilities() {
        return Optional.ofNullable(nodeCapabilities);
    }

    /**
     * How volumes can be expanded, as GetPluginCapabilities told (R82).
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<VolumeExpansion>> volumeExpansion() {
        return Optional.ofNullable(volumeExpansion);
    }

    /**
     * Whether volumes have to be published by the controller: it has one, and it attaches (S28).
     *
     * @return UNKNOWN while a healthy instance has not said
     */
    public ControllerNeed controllerNeed() {
        return need(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
    }

    /**
     * Whether volumes are expanded by the controller, and not by nodes alone (R42, R82).
     *
     * @return UNKNOWN while a healthy instance has not said
     */
    public ControllerNeed expansionNeed() {
        return need(ControllerCapability.EXPAND_VOLUME);
    }

    private ControllerNeed need(ControllerCapability capability) {
        if (services == null) {
            return ControllerNeed.UNKNOWN;
        }
        if (!services.has(PluginService.CONTROLLER_SERVICE)) {
            return ControllerNeed.NOT_REQUIRED;
        }
        if (controllerCapabilities == null) {
            return ControllerNeed.UNKNOWN;
        }
        return controllerCapabilities.has(capability) ? ControllerNeed.REQUIRED : ControllerNeed.NOT_REQUIRED;
    }

    /**
     * Whether volumes are known to be expanded only while they are not in use (R82).
     *
     * @return false also while it is not known
     */
    public boolean expandsOfflineOnly() {
        return volumeExpansion != null
                && volumeExpansion.has(VolumeExpansion.OFFLINE)
                && !volumeExpansion.has(VolumeExpansion.ONLINE);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PluginFacts that
                && pluginId.equals(that.pluginId)
                && Objects.equals(provider, that.provider)
                && Objects.equals(vendorVersion, that.vendorVersion)
                && Objects.equals(services, that.services)
                && Objects.equals(controllerCapabilities, that.controllerCapabilities)
                && Objects.equals(nodeCapabilities, that.nodeCapabilities)
                && Objects.equals(volumeExpansion, that.volumeExpansion);
    }

    @Override
    public int hashCode() {
        return Objects.hash(pluginId, provider, vendorVersion);
    }

    @Override
    public String toString() {
        return "PluginFacts[pluginId=" + pluginId + ", provider=" + provider + ", vendorVersion=" + vendorVersion
                + ", services=" + services + ", controllerCapabilities=" + controllerCapabilities
                + ", nodeCapabilities=" + nodeCapabilities + ", volumeExpansion=" + volumeExpansion + "]";
    }

    /** Builds {@link PluginFacts}. Not safe for use by several threads. */
    public static final class Builder {
        private final PluginId pluginId;
        private @Nullable String provider;
        private @Nullable String vendorVersion;
        private @Nullable CapabilitySet<PluginService> services;
        private @Nullable CapabilitySet<ControllerCapability> controllerCapabilities;
        private @Nullable CapabilitySet<NodeCapability> nodeCapabilities;
        private @Nullable CapabilitySet<VolumeExpansion> volumeExpansion;

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /**
         * Sets: the name GetPluginInfo told (R37, S29).
         *
         * @param provider the value, or null: not told
         * @return this
         */
        public Builder provider(@Nullable String provider) {
            this.provider = provider == null ? null : Text.checked("PluginFacts: provider", provider);
            return this;
        }

        /**
         * Sets: the vendor version GetPluginInfo told (R37, S29).
         *
         * @param vendorVersion the value, or null: not told
         * @return this
         */
        public Builder vendorVersion(@Nullable String vendorVersion) {
            this.vendorVersion =
                    vendorVersion == null ? null : Text.checked("PluginFacts: vendorVersion", vendorVersion);
            return this;
        }

        /**
         * Sets: what GetPluginCapabilities told (R38).
         *
         * @param services the value, or null: not told
         * @return this
         */
        public Builder services(@Nullable CapabilitySet<PluginService> services) {
            this.services = services;
            return this;
        }

        /**
         * Sets: what ControllerGetCapabilities told.
         *
         * @param controllerCapabilities the value, or null: not told
         * @return this
         */
        public Builder controllerCapabilities(@Nullable CapabilitySet<ControllerCapability> controllerCapabilities) {
            this.controllerCapabilities = controllerCapabilities;
            return this;
        }

        /**
         * Sets: what NodeGetCapabilities told.
         *
         * @param nodeCapabilities the value, or null: not told
         * @return this
         */
        public Builder nodeCapabilities(@Nullable CapabilitySet<NodeCapability> nodeCapabilities) {
            this.nodeCapabilities = nodeCapabilities;
            return this;
        }

        /**
         * Sets: how volumes can be expanded, as GetPluginCapabilities told (R82).
         *
         * @param volumeExpansion the value, or null: not told
         * @return this
         */
        public Builder volumeExpansion(@Nullable CapabilitySet<VolumeExpansion> volumeExpansion) {
            this.volumeExpansion = volumeExpansion;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public PluginFacts build() {
            return new PluginFacts(this);
        }
    }
}
