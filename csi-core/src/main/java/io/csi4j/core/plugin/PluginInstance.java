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
 */
public final class PluginInstance {
    private final InstanceKey key;
    private final boolean healthy;
    private final String healthDescription;
    private final Instant startedAt;
    private final Instant updatedAt;
    private final @Nullable String provider;
    private final @Nullable String vendorVersion;
    private final @Nullable CapabilitySet<PluginService> services;
    private final @Nullable CapabilitySet<ControllerCapability> controllerCapabilities;
    private final @Nullable CapabilitySet<NodeCapability> nodeCapabilities;
    private final @Nullable CapabilitySet<VolumeExpansion> volumeExpansion;
    private final @Nullable NodeInfo nodeInfo;

    private PluginInstance(Builder builder) {
        this.key = builder.key;
        this.healthy = builder.healthy;
        this.healthDescription = builder.healthDescription;
        this.startedAt = builder.startedAt;
        this.updatedAt = builder.updatedAt;
        this.provider = builder.provider;
        this.vendorVersion = builder.vendorVersion;
        this.services = builder.services;
        this.controllerCapabilities = builder.controllerCapabilities;
        this.nodeCapabilities = builder.nodeCapabilities;
        this.volumeExpansion = builder.volumeExpansion;
        this.nodeInfo = builder.nodeInfo;
    }

    /**
     * A builder of an instance that is healthy and told nothing yet.
     *
     * @param key which instance
     * @param startedAt when it came up: the newest leads (S38)
     * @return a new builder
     */
    public static Builder builder(InstanceKey key, Instant startedAt) {
        return new Builder(key, startedAt);
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
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
        builder.provider = provider == null ? previous.provider : provider;
        builder.vendorVersion = vendorVersion == null ? previous.vendorVersion : vendorVersion;
        builder.services = services == null ? previous.services : services;
        builder.controllerCapabilities =
                controllerCapabilities == null ? previous.controllerCapabilities : controllerCapabilities;
        builder.nodeCapabilities = nodeCapabilities == null ? previous.nodeCapabilities : nodeCapabilities;
        builder.volumeExpansion = volumeExpansion == null ? previous.volumeExpansion : volumeExpansion;
        builder.nodeInfo = nodeInfo == null ? previous.nodeInfo : nodeInfo;
        return builder.build();
    }

    /**
     * Which instance it is.
     *
     * @return node, plugin, type and allocation
     */
    public InstanceKey key() {
        return key;
    }

    /**
     * Whether it is healthy.
     *
     * @return as its node last told
     */
    public boolean healthy() {
        return healthy;
    }

    /**
     * Why it is healthy, or not.
     *
     * @return a text for an operator, possibly empty
     */
    public String healthDescription() {
        return healthDescription;
    }

    /**
     * When it came up.
     *
     * @return the time its node told
     */
    public Instant startedAt() {
        return startedAt;
    }

    /**
     * When its node last told about it.
     *
     * @return the time its node told
     */
    public Instant updatedAt() {
        return updatedAt;
    }

    /**
     * The name GetPluginInfo told (R37, S29).
     *
     * @return empty: not told
     */
    public Optional<String> provider() {
        return Optional.ofNullable(provider);
    }

    /**
     * The vendor version GetPluginInfo told (R37, S29).
     *
     * @return empty: not told
     */
    public Optional<String> vendorVersion() {
        return Optional.ofNullable(vendorVersion);
    }

    /**
     * What GetPluginCapabilities told (R38).
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<PluginService>> services() {
        return Optional.ofNullable(services);
    }

    /**
     * What ControllerGetCapabilities told.
     *
     * @return empty: not told
     */
    public Optional<CapabilitySet<ControllerCapability>> controllerCapabilities() {
        return Optional.ofNullable(controllerCapabilities);
    }

    /**
     * What NodeGetCapabilities told.
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
     * What NodeGetInfo told.
     *
     * @return empty: not told
     */
    public Optional<NodeInfo> nodeInfo() {
        return Optional.ofNullable(nodeInfo);
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
    public boolean equals(Object other) {
        return other instanceof PluginInstance that
                && key.equals(that.key)
                && healthy == that.healthy
                && healthDescription.equals(that.healthDescription)
                && startedAt.equals(that.startedAt)
                && updatedAt.equals(that.updatedAt)
                && Objects.equals(provider, that.provider)
                && Objects.equals(vendorVersion, that.vendorVersion)
                && Objects.equals(services, that.services)
                && Objects.equals(controllerCapabilities, that.controllerCapabilities)
                && Objects.equals(nodeCapabilities, that.nodeCapabilities)
                && Objects.equals(volumeExpansion, that.volumeExpansion)
                && Objects.equals(nodeInfo, that.nodeInfo);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, healthy, startedAt, updatedAt);
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
        private @Nullable String provider;
        private @Nullable String vendorVersion;
        private @Nullable CapabilitySet<PluginService> services;
        private @Nullable CapabilitySet<ControllerCapability> controllerCapabilities;
        private @Nullable CapabilitySet<NodeCapability> nodeCapabilities;
        private @Nullable CapabilitySet<VolumeExpansion> volumeExpansion;
        private @Nullable NodeInfo nodeInfo;

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
         * @return this
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
         * @return this
         */
        public Builder updatedAt(Instant updatedAt) {
            this.updatedAt = Objects.requireNonNull(updatedAt, "updatedAt");
            return this;
        }

        /**
         * Sets: the name GetPluginInfo told (R37, S29).
         *
         * @param provider the value, or null: not told
         * @return this
         */
        public Builder provider(@Nullable String provider) {
            this.provider = provider == null ? null : Text.checked("PluginInstance: provider", provider);
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
                    vendorVersion == null ? null : Text.checked("PluginInstance: vendorVersion", vendorVersion);
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
         * Sets: what NodeGetInfo told.
         *
         * @param nodeInfo the value, or null: not told
         * @return this
         */
        public Builder nodeInfo(@Nullable NodeInfo nodeInfo) {
            this.nodeInfo = nodeInfo;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public PluginInstance build() {
            return new PluginInstance(this);
        }
    }
}
