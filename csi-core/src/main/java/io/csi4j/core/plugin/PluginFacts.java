package io.csi4j.core.plugin;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.OperatorOverride;
import java.util.Objects;
import java.util.Optional;

/**
 * The last facts that healthy instances of a plugin reported (R38). A value that is missing in a report does not erase
 * the known value, so a plugin that is restarting keeps its capabilities. Immutable.
 *
 * @param provider the name from GetPluginInfo (R37) of the driver that the plugin's volumes belong to; empty if not
 *     known. The first report sets it. Only an operator replaces it, or the end of the last instance with the name while
 *     the plugin has no volume
 * @param vendorVersion the vendor version from GetPluginInfo (R37); empty if not known
 * @param capabilities the capabilities (R38) without those of the group controller, which a fingerprint does not
 *     contain: they are left out of the given ones
 * @param providerOverride the operator's statement that the provider name is right; empty if an instance set the name
 */
public record PluginFacts(
        PluginId pluginId,
        Optional<String> provider,
        Optional<String> vendorVersion,
        Capabilities capabilities,
        Optional<OperatorOverride> providerOverride) {
    /** @throws IllegalArgumentException if a text of GetPluginInfo contains an unpaired surrogate */
    public PluginFacts {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(provider, "provider").ifPresent(text -> Text.checked("PluginFacts: provider", text));
        Objects.requireNonNull(vendorVersion, "vendorVersion")
                .ifPresent(text -> Text.checked("PluginFacts: vendorVersion", text));
        capabilities = Objects.requireNonNull(capabilities, "capabilities").withoutGroupController();
        Objects.requireNonNull(providerOverride, "providerOverride");
    }

    /** Returns the facts about a plugin that has not reported any. */
    public static PluginFacts none(PluginId pluginId) {
        return new PluginFacts(pluginId, Optional.empty(), Optional.empty(), Capabilities.unknown(), Optional.empty());
    }

    /**
     * Returns whether an instance runs another driver than the one that the plugin's volumes belong to: it has reported
     * another provider name. Such an instance is not called. The vendor version may differ.
     */
    public boolean conflictsWith(PluginInstance instance) {
        return !provider.equals(instance.provider()) && named(provider) && named(instance.provider());
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
                instance.capabilities().or(capabilities),
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
        if (capabilities.services().isEmpty()) {
            return ControllerNeed.UNKNOWN;
        }
        if (capabilities.lacks(PluginService.CONTROLLER_SERVICE) || capabilities.lacks(capability)) {
            return ControllerNeed.NOT_REQUIRED;
        }
        return capabilities.has(capability) ? ControllerNeed.REQUIRED : ControllerNeed.UNKNOWN;
    }

    /**
     * Returns whether the plugin can expand a volume only while the volume is not in use (R82). Returns false also if
     * the plugin's kinds of expansion are not known yet.
     */
    public boolean expandsOfflineOnly() {
        return capabilities.has(VolumeExpansion.OFFLINE) && capabilities.lacks(VolumeExpansion.ONLINE);
    }
}
