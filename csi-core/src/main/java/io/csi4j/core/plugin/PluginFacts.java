package io.csi4j.core.plugin;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.OperatorOverride;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last facts that healthy instances of a plugin reported (R38). A value that is missing in a report does not erase
 * the known value, so a plugin that is restarting keeps its capabilities. Immutable.
 *
 * @param provider the name from GetPluginInfo (R37) of the driver that the plugin's volumes belong to; empty if not
 *     known. The first report sets it. Only an operator replaces it, or the end of the last instance with the name while
 *     the plugin has no volume
 * @param vendorVersion the vendor version from GetPluginInfo (R37); empty if not known
 * @param services the services from GetPluginCapabilities (R38); empty if not known
 * @param controllerCapabilities the capabilities from ControllerGetCapabilities; empty if not known
 * @param nodeCapabilities the capabilities from NodeGetCapabilities; empty if not known
 * @param volumeExpansion the kinds of volume expansion from GetPluginCapabilities (R82); empty if not known
 * @param providerOverride the operator's statement that the provider name is right; empty if an instance set the name
 */
public record PluginFacts(
        PluginId pluginId,
        Optional<String> provider,
        Optional<String> vendorVersion,
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<ControllerCapability>> controllerCapabilities,
        Optional<CapabilitySet<NodeCapability>> nodeCapabilities,
        Optional<CapabilitySet<VolumeExpansion>> volumeExpansion,
        Optional<OperatorOverride> providerOverride) {
    /** @throws IllegalArgumentException if a text of GetPluginInfo contains an unpaired surrogate */
    public PluginFacts {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(provider, "provider").ifPresent(text -> Text.checked("PluginFacts: provider", text));
        Objects.requireNonNull(vendorVersion, "vendorVersion")
                .ifPresent(text -> Text.checked("PluginFacts: vendorVersion", text));
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(controllerCapabilities, "controllerCapabilities");
        Objects.requireNonNull(nodeCapabilities, "nodeCapabilities");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
        Objects.requireNonNull(providerOverride, "providerOverride");
    }

    /** Returns a builder for the facts about a plugin; no fact is set yet. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /** Returns a builder with these facts. */
    public Builder toBuilder() {
        Builder builder = new Builder(pluginId);
        builder.provider = provider;
        builder.vendorVersion = vendorVersion;
        builder.services = services;
        builder.controllerCapabilities = controllerCapabilities;
        builder.nodeCapabilities = nodeCapabilities;
        builder.volumeExpansion = volumeExpansion;
        builder.providerOverride = providerOverride;
        return builder;
    }

    /**
     * Returns whether an instance runs another driver than the one that the plugin's volumes belong to: it has reported
     * another provider name. Such an instance is not called. The vendor version may differ.
     */
    public boolean conflictsWith(PluginInstance instance) {
        return named(provider) && named(instance.provider()) && !provider.equals(instance.provider());
    }

    /** Returns whether a provider name is known. A plugin that reports an empty one breaks R37 and counts as unnamed. */
    private static boolean named(Optional<String> provider) {
        return provider.filter(name -> !name.isEmpty()).isPresent();
    }

    /**
     * Returns these facts, updated with the last report of an instance. The values that a healthy instance reported
     * replace the known ones. An unhealthy instance, or one with {@linkplain #conflictsWith another provider name},
     * changes nothing.
     */
    public PluginFacts updatedBy(PluginInstance instance) {
        if (!instance.healthy() || conflictsWith(instance)) {
            return this;
        }
        return new PluginFacts(
                pluginId,
                named(provider) ? provider : instance.provider().or(() -> provider),
                instance.vendorVersion().or(() -> vendorVersion),
                instance.services().or(() -> services),
                instance.controllerCapabilities().or(() -> controllerCapabilities),
                instance.nodeCapabilities().or(() -> nodeCapabilities),
                instance.volumeExpansion().or(() -> volumeExpansion),
                providerOverride);
    }

    /**
     * Returns whether the controller must publish the plugin's volumes; UNKNOWN until a healthy instance has reported
     * its capabilities.
     */
    public ControllerNeed controllerNeed() {
        return need(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
    }

    /**
     * Returns whether the controller must expand the plugin's volumes before the nodes do (R42, R82); UNKNOWN until a
     * healthy instance has reported its capabilities.
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
     * Returns whether the plugin can expand a volume only while the volume is not in use (R82). Returns false also if
     * the plugin's kinds of expansion are not known yet.
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
        private Optional<OperatorOverride> providerOverride = Optional.empty();

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /** Sets the name from GetPluginInfo (R37); null if not reported. */
        public Builder provider(@Nullable String provider) {
            this.provider = Optional.ofNullable(provider);
            return this;
        }

        /** Sets the vendor version from GetPluginInfo (R37); null if not reported. */
        public Builder vendorVersion(@Nullable String vendorVersion) {
            this.vendorVersion = Optional.ofNullable(vendorVersion);
            return this;
        }

        /** Sets the services from GetPluginCapabilities (R38); null if not reported. */
        public Builder services(@Nullable CapabilitySet<PluginService> services) {
            this.services = Optional.ofNullable(services);
            return this;
        }

        /** Sets the capabilities from ControllerGetCapabilities; null if not reported. */
        public Builder controllerCapabilities(@Nullable CapabilitySet<ControllerCapability> controllerCapabilities) {
            this.controllerCapabilities = Optional.ofNullable(controllerCapabilities);
            return this;
        }

        /** Sets the capabilities from NodeGetCapabilities; null if not reported. */
        public Builder nodeCapabilities(@Nullable CapabilitySet<NodeCapability> nodeCapabilities) {
            this.nodeCapabilities = Optional.ofNullable(nodeCapabilities);
            return this;
        }

        /** Sets the kinds of volume expansion from GetPluginCapabilities (R82); null if not reported. */
        public Builder volumeExpansion(@Nullable CapabilitySet<VolumeExpansion> volumeExpansion) {
            this.volumeExpansion = Optional.ofNullable(volumeExpansion);
            return this;
        }

        /** Sets the operator's statement that the provider name is right; null if an instance set the name. */
        public Builder providerOverride(@Nullable OperatorOverride providerOverride) {
            this.providerOverride = Optional.ofNullable(providerOverride);
            return this;
        }

        public PluginFacts build() {
            return new PluginFacts(
                    pluginId,
                    provider,
                    vendorVersion,
                    services,
                    controllerCapabilities,
                    nodeCapabilities,
                    volumeExpansion,
                    providerOverride);
        }
    }
}
