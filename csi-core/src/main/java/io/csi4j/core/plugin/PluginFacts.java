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
 * The last known good facts about a plugin (R38). Only a healthy instance's answers change them, and absence erases
 * nothing: a plugin that is restarting still has the capabilities it had. Immutable.
 *
 * @param provider the name of GetPluginInfo (R37, S29); empty: not known
 * @param vendorVersion the vendor version of GetPluginInfo (R37, S29); empty: not known
 * @param services the services of GetPluginCapabilities (R38); empty: not known
 * @param controllerCapabilities the answer of ControllerGetCapabilities; empty: not known
 * @param nodeCapabilities the answer of NodeGetCapabilities; empty: not known
 * @param volumeExpansion how volumes can be expanded, by GetPluginCapabilities (R82); empty: not known
 */
public record PluginFacts(
        PluginId pluginId,
        Optional<String> provider,
        Optional<String> vendorVersion,
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<ControllerCapability>> controllerCapabilities,
        Optional<CapabilitySet<NodeCapability>> nodeCapabilities,
        Optional<CapabilitySet<VolumeExpansion>> volumeExpansion) {
    /**
     * Checks the texts.
     *
     * @throws IllegalArgumentException if a text of GetPluginInfo holds an unpaired surrogate
     */
    public PluginFacts {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(provider, "provider").ifPresent(text -> Text.checked("PluginFacts: provider", text));
        Objects.requireNonNull(vendorVersion, "vendorVersion")
                .ifPresent(text -> Text.checked("PluginFacts: vendorVersion", text));
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(controllerCapabilities, "controllerCapabilities");
        Objects.requireNonNull(nodeCapabilities, "nodeCapabilities");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
    }

    /** A builder with nothing known. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /**
     * These facts after a fingerprint: what a healthy instance told replaces what was known, and nothing else changes.
     *
     * @return the facts to store
     */
    public PluginFacts after(PluginInstance instance) {
        if (!instance.healthy()) {
            return this;
        }
        return new PluginFacts(
                pluginId,
                instance.provider().or(() -> provider),
                instance.vendorVersion().or(() -> vendorVersion),
                instance.services().or(() -> services),
                instance.controllerCapabilities().or(() -> controllerCapabilities),
                instance.nodeCapabilities().or(() -> nodeCapabilities),
                instance.volumeExpansion().or(() -> volumeExpansion));
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
        if (services.isEmpty()) {
            return ControllerNeed.UNKNOWN;
        }
        if (!services.get().has(PluginService.CONTROLLER_SERVICE)) {
            return ControllerNeed.NOT_REQUIRED;
        }
        return controllerCapabilities
                .map(known -> known.has(capability) ? ControllerNeed.REQUIRED : ControllerNeed.NOT_REQUIRED)
                .orElse(ControllerNeed.UNKNOWN);
    }

    /**
     * Whether volumes are known to be expanded only while they are not in use (R82).
     *
     * @return false also while it is not known
     */
    public boolean expandsOfflineOnly() {
        return volumeExpansion
                .filter(known -> known.has(VolumeExpansion.OFFLINE) && !known.has(VolumeExpansion.ONLINE))
                .isPresent();
    }

    /** Builds {@link PluginFacts}. Not safe for use by several threads. */
    public static final class Builder {
        private final PluginId pluginId;
        private Optional<String> provider = Optional.empty();
        private Optional<String> vendorVersion = Optional.empty();
        private Optional<CapabilitySet<PluginService>> services = Optional.empty();
        private Optional<CapabilitySet<ControllerCapability>> controllerCapabilities = Optional.empty();
        private Optional<CapabilitySet<NodeCapability>> nodeCapabilities = Optional.empty();
        private Optional<CapabilitySet<VolumeExpansion>> volumeExpansion = Optional.empty();

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /**
         * Sets: the name GetPluginInfo told (R37, S29).
         *
         * @param provider the value, or null: not told
         */
        public Builder provider(@Nullable String provider) {
            this.provider = Optional.ofNullable(provider);
            return this;
        }

        /**
         * Sets: the vendor version GetPluginInfo told (R37, S29).
         *
         * @param vendorVersion the value, or null: not told
         */
        public Builder vendorVersion(@Nullable String vendorVersion) {
            this.vendorVersion = Optional.ofNullable(vendorVersion);
            return this;
        }

        /**
         * Sets: what GetPluginCapabilities told (R38).
         *
         * @param services the value, or null: not told
         */
        public Builder services(@Nullable CapabilitySet<PluginService> services) {
            this.services = Optional.ofNullable(services);
            return this;
        }

        /**
         * Sets: what ControllerGetCapabilities told.
         *
         * @param controllerCapabilities the value, or null: not told
         */
        public Builder controllerCapabilities(@Nullable CapabilitySet<ControllerCapability> controllerCapabilities) {
            this.controllerCapabilities = Optional.ofNullable(controllerCapabilities);
            return this;
        }

        /**
         * Sets: what NodeGetCapabilities told.
         *
         * @param nodeCapabilities the value, or null: not told
         */
        public Builder nodeCapabilities(@Nullable CapabilitySet<NodeCapability> nodeCapabilities) {
            this.nodeCapabilities = Optional.ofNullable(nodeCapabilities);
            return this;
        }

        /**
         * Sets: how volumes can be expanded, as GetPluginCapabilities told (R82).
         *
         * @param volumeExpansion the value, or null: not told
         */
        public Builder volumeExpansion(@Nullable CapabilitySet<VolumeExpansion> volumeExpansion) {
            this.volumeExpansion = Optional.ofNullable(volumeExpansion);
            return this;
        }

        /** The value built so far. */
        public PluginFacts build() {
            return new PluginFacts(
                    pluginId,
                    provider,
                    vendorVersion,
                    services,
                    controllerCapabilities,
                    nodeCapabilities,
                    volumeExpansion);
        }
    }
}
