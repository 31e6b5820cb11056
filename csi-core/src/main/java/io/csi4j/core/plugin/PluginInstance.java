package io.csi4j.core.plugin;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Text;
import io.csi4j.core.csi.VolumeExpansion;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One running copy of a plugin, as its node last told about it (its fingerprint). What it did not
 * tell is empty, which never means "it has none". Immutable.
 *
 * @param key which instance: node, plugin, type and allocation
 * @param healthy whether it is healthy, by the last report of its node
 * @param healthDescription why it is healthy, or not: a text for an operator, possibly empty
 * @param startedAt when it came up, by the clock of its node
 * @param updatedAt when its node last reported it, by the clock of the node
 * @param provider the name of GetPluginInfo (R37, S29); empty: not known
 * @param vendorVersion the vendor version of GetPluginInfo (R37, S29); empty: not known
 * @param services the services of GetPluginCapabilities (R38); empty: not known
 * @param controllerCapabilities the answer of ControllerGetCapabilities; empty: not known
 * @param nodeCapabilities the answer of NodeGetCapabilities; empty: not known
 * @param volumeExpansion how volumes can be expanded, by GetPluginCapabilities (R82); empty: not known
 * @param nodeInfo the answer of NodeGetInfo; empty: not known
 */
public record PluginInstance(
        InstanceKey key,
        boolean healthy,
        String healthDescription,
        Instant startedAt,
        Instant updatedAt,
        Optional<String> provider,
        Optional<String> vendorVersion,
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<ControllerCapability>> controllerCapabilities,
        Optional<CapabilitySet<NodeCapability>> nodeCapabilities,
        Optional<CapabilitySet<VolumeExpansion>> volumeExpansion,
        Optional<NodeInfo> nodeInfo) {
    /**
     * Checks the texts.
     *
     * @throws IllegalArgumentException if a text of GetPluginInfo holds an unpaired surrogate
     */
    public PluginInstance {
        Objects.requireNonNull(key, "key");
        healthDescription = Text.repaired(Objects.requireNonNull(healthDescription, "healthDescription"));
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(updatedAt, "updatedAt");
        Objects.requireNonNull(provider, "provider").ifPresent(text -> Text.checked("PluginInstance: provider", text));
        Objects.requireNonNull(vendorVersion, "vendorVersion")
                .ifPresent(text -> Text.checked("PluginInstance: vendorVersion", text));
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(controllerCapabilities, "controllerCapabilities");
        Objects.requireNonNull(nodeCapabilities, "nodeCapabilities");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
        Objects.requireNonNull(nodeInfo, "nodeInfo");
    }

    /**
     * A builder of an instance that is healthy and told nothing yet.
     *
     * @param key which instance
     * @param startedAt when it came up: the newest leads (S38)
     */
    public static Builder builder(InstanceKey key, Instant startedAt) {
        return new Builder(key, startedAt);
    }

    /** A builder that begins with these values. */
    public Builder toBuilder() {
        return toBuilder(key);
    }

    /**
     * This instance as it is shown to somebody who may not know which allocation runs it.
     *
     * @return the same without the allocation
     */
    public PluginInstance withoutAllocation() {
        return key.allocationId().isEmpty()
                ? this
                : toBuilder(new InstanceKey(key.nodeId(), key.pluginId(), key.type(), Optional.empty()))
                        .build();
    }

    private Builder toBuilder(InstanceKey key) {
        Builder builder = new Builder(key, startedAt);
        builder.healthy = healthy;
        builder.healthDescription = healthDescription;
        builder.updatedAt = updatedAt;
        builder.provider = provider;
        builder.vendorVersion = vendorVersion;
        builder.services = services;
        builder.controllerCapabilities = controllerCapabilities;
        builder.nodeCapabilities = nodeCapabilities;
        builder.volumeExpansion = volumeExpansion;
        builder.nodeInfo = nodeInfo;
        return builder;
    }

    /**
     * This fingerprint, with what the previous one of the same instance told where this one tells
     * nothing: a failed fingerprint takes no knowledge away.
     *
     * @param previous the fingerprint it replaces
     * @return the fingerprint to store
     */
    public PluginInstance keeping(PluginInstance previous) {
        Builder builder = toBuilder();
        builder.provider = provider.or(previous::provider);
        builder.vendorVersion = vendorVersion.or(previous::vendorVersion);
        builder.services = services.or(previous::services);
        builder.controllerCapabilities = controllerCapabilities.or(previous::controllerCapabilities);
        builder.nodeCapabilities = nodeCapabilities.or(previous::nodeCapabilities);
        builder.volumeExpansion = volumeExpansion.or(previous::volumeExpansion);
        builder.nodeInfo = nodeInfo.or(previous::nodeInfo);
        return builder.build();
    }

    /**
     * Whether this instance leads the other one: the healthy before the unhealthy, then the newest,
     * then the one with the greater key (S38).
     *
     * @param other another instance of the same plugin on the same node
     * @return true if this one leads
     */
    public boolean leads(PluginInstance other) {
        if (healthy != other.healthy) {
            return healthy;
        }
        int order = startedAt.compareTo(other.startedAt);
        return order == 0 ? key.compareTo(other.key) > 0 : order > 0;
    }

    @Override
    public String toString() {
        return "PluginInstance[" + key + ", healthy=" + healthy + ", startedAt=" + startedAt + ", provider=" + provider
                + ", vendorVersion=" + vendorVersion + ", services=" + services + ", controllerCapabilities="
                + controllerCapabilities + ", nodeCapabilities=" + nodeCapabilities + ", volumeExpansion="
                + volumeExpansion + ", nodeInfo=" + nodeInfo + "]";
    }

    /** Builds {@link PluginInstance}s. Not safe for use by several threads. */
    public static final class Builder {
        private final InstanceKey key;
        private final Instant startedAt;
        private boolean healthy = true;
        private String healthDescription = "";
        private Instant updatedAt;
        private Optional<String> provider = Optional.empty();
        private Optional<String> vendorVersion = Optional.empty();
        private Optional<CapabilitySet<PluginService>> services = Optional.empty();
        private Optional<CapabilitySet<ControllerCapability>> controllerCapabilities = Optional.empty();
        private Optional<CapabilitySet<NodeCapability>> nodeCapabilities = Optional.empty();
        private Optional<CapabilitySet<VolumeExpansion>> volumeExpansion = Optional.empty();
        private Optional<NodeInfo> nodeInfo = Optional.empty();

        private Builder(InstanceKey key, Instant startedAt) {
            this.key = Objects.requireNonNull(key, "key");
            this.startedAt = Objects.requireNonNull(startedAt, "startedAt");
            this.updatedAt = startedAt;
        }

        /**
         * Sets whether it is healthy, and why.
         *
         * @param healthy whether it is
         * @param healthDescription a text for an operator, possibly empty
         */
        public Builder health(boolean healthy, String healthDescription) {
            this.healthy = healthy;
            this.healthDescription = Text.repaired(Objects.requireNonNull(healthDescription, "healthDescription"));
            return this;
        }

        /**
         * Sets when its node told this.
         *
         * @param updatedAt the start if not set
         */
        public Builder updatedAt(Instant updatedAt) {
            this.updatedAt = Objects.requireNonNull(updatedAt, "updatedAt");
            return this;
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

        /**
         * Sets: what NodeGetInfo told.
         *
         * @param nodeInfo the value, or null: not told
         */
        public Builder nodeInfo(@Nullable NodeInfo nodeInfo) {
            this.nodeInfo = Optional.ofNullable(nodeInfo);
            return this;
        }

        /** The value built so far. */
        public PluginInstance build() {
            return new PluginInstance(
                    key,
                    healthy,
                    healthDescription,
                    startedAt,
                    updatedAt,
                    provider,
                    vendorVersion,
                    services,
                    controllerCapabilities,
                    nodeCapabilities,
                    volumeExpansion,
                    nodeInfo);
        }
    }
}
