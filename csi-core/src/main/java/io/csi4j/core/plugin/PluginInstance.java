package io.csi4j.core.plugin;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One running process of a plugin, as its node last reported it. Such a report is called a fingerprint. A value is
 * empty if the instance has not reported it. Immutable.
 *
 * @param key the node, plugin, type and allocation of the instance
 * @param healthy whether the instance is healthy, by the last report of its node
 * @param healthDescription an explanation of the health for an operator; possibly empty
 * @param startedAt the time when the instance started, by the clock of its node
 * @param updatedAt the time of the last report, by the clock of its node
 * @param provider the name from GetPluginInfo (R37); empty if not known
 * @param vendorVersion the vendor version from GetPluginInfo (R37); empty if not known
 * @param capabilities the capabilities (R38) without those of the group controller, which a fingerprint does not
 *     contain: they are left out of the given ones
 * @param nodeInfo the response to NodeGetInfo; empty if not known
 * @param proved whether the instance has answered since its node registered it. A healthy instance, and one that has
 *     reported a fact, has answered: for them a false value becomes true. An instance that is not proved is listed, and
 *     counts in nothing else as an instance of its plugin
 */
public record PluginInstance(
        InstanceKey key,
        boolean healthy,
        String healthDescription,
        Instant startedAt,
        Instant updatedAt,
        Optional<String> provider,
        Optional<String> vendorVersion,
        Capabilities capabilities,
        Optional<NodeInfo> nodeInfo,
        boolean proved) {
    /** @throws IllegalArgumentException if a text of GetPluginInfo contains an unpaired surrogate */
    public PluginInstance {
        Objects.requireNonNull(key, "key");
        healthDescription = Text.repaired(Objects.requireNonNull(healthDescription, "healthDescription"));
        Objects.requireNonNull(startedAt, "startedAt");
        Objects.requireNonNull(updatedAt, "updatedAt");
        Objects.requireNonNull(provider, "provider").ifPresent(text -> Text.checked("PluginInstance: provider", text));
        Objects.requireNonNull(vendorVersion, "vendorVersion")
                .ifPresent(text -> Text.checked("PluginInstance: vendorVersion", text));
        capabilities = Objects.requireNonNull(capabilities, "capabilities").withoutGroupController();
        Objects.requireNonNull(nodeInfo, "nodeInfo");
        proved = proved
                || healthy
                || provider.isPresent()
                || vendorVersion.isPresent()
                || nodeInfo.isPresent()
                || !capabilities.equals(Capabilities.unknown());
    }

    /** Creates the report of an instance that has answered. */
    public PluginInstance(
            InstanceKey key,
            boolean healthy,
            String healthDescription,
            Instant startedAt,
            Instant updatedAt,
            Optional<String> provider,
            Optional<String> vendorVersion,
            Capabilities capabilities,
            Optional<NodeInfo> nodeInfo) {
        this(
                key,
                healthy,
                healthDescription,
                startedAt,
                updatedAt,
                provider,
                vendorVersion,
                capabilities,
                nodeInfo,
                true);
    }

    /**
     * Returns a builder of a healthy instance that has not reported any facts.
     *
     * @param startedAt the time when the instance started; if a node has several healthy instances, the newest one is
     *     used
     */
    public static Builder builder(InstanceKey key, Instant startedAt) {
        return new Builder(key, startedAt);
    }

    /** Returns a builder with the values of this instance. */
    public Builder toBuilder() {
        return toBuilder(key);
    }

    /**
     * Returns a copy of this instance without its allocation, to be shown to a caller who may not see the allocation.
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
        builder.capabilities = capabilities;
        builder.nodeInfo = nodeInfo;
        builder.proved = proved;
        return builder;
    }

    /**
     * Returns a copy of this object in which empty values are replaced by those of the previous fingerprint (report) of
     * the same instance. So a report of an unhealthy instance does not erase known values, and an instance that has
     * answered once stays proved. Values of another driver, that is, of a fingerprint with another provider name, are
     * not taken over.
     *
     * @param previous the fingerprint that this one replaces
     */
    public PluginInstance withKnownFactsOf(PluginInstance previous) {
        if (provider.isPresent() && previous.provider().isPresent() && !provider.equals(previous.provider())) {
            return this;
        }
        Builder builder = toBuilder();
        builder.provider = provider.or(previous::provider);
        builder.vendorVersion = vendorVersion.or(previous::vendorVersion);
        builder.capabilities = capabilities.or(previous.capabilities);
        builder.nodeInfo = nodeInfo.or(previous::nodeInfo);
        builder.proved = proved || previous.proved;
        return builder.build();
    }

    /**
     * Returns whether this instance is used instead of the other one. A healthy instance is preferred to an unhealthy
     * one. If both are equally healthy, the newer one is preferred, and if both started at the same time, the one with
     * the greater key.
     *
     * @param other another instance of the same plugin on the same node
     */
    public boolean isPreferredTo(PluginInstance other) {
        if (healthy != other.healthy) {
            return healthy;
        }
        int order = startedAt.compareTo(other.startedAt);
        return order == 0 ? key.compareTo(other.key) > 0 : order > 0;
    }

    @Override
    public String toString() {
        return "PluginInstance[" + key + ", healthy=" + healthy + ", startedAt=" + startedAt + ", provider=" + provider
                + ", vendorVersion=" + vendorVersion + ", " + capabilities + ", nodeInfo=" + nodeInfo + ", proved="
                + proved + "]";
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
        private Capabilities capabilities = Capabilities.unknown();
        private Optional<NodeInfo> nodeInfo = Optional.empty();
        private boolean proved = true;

        private Builder(InstanceKey key, Instant startedAt) {
            this.key = Objects.requireNonNull(key, "key");
            this.startedAt = Objects.requireNonNull(startedAt, "startedAt");
            this.updatedAt = startedAt;
        }

        /**
         * Sets whether the instance is healthy.
         *
         * @param healthDescription an explanation of the health for an operator; possibly empty
         */
        public Builder health(boolean healthy, String healthDescription) {
            this.healthy = healthy;
            this.healthDescription = Text.repaired(Objects.requireNonNull(healthDescription, "healthDescription"));
            return this;
        }

        /** Sets the time of the node's report. Default: the start time of the instance. */
        public Builder updatedAt(Instant updatedAt) {
            this.updatedAt = Objects.requireNonNull(updatedAt, "updatedAt");
            return this;
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

        /** Sets the capabilities (R38). Default: none is known. */
        public Builder capabilities(Capabilities capabilities) {
            this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
            return this;
        }

        /** Changes the capabilities that are set. */
        public Builder capabilities(UnaryOperator<Capabilities> change) {
            return capabilities(change.apply(capabilities));
        }

        /** Sets the response to NodeGetInfo; null if not reported. */
        public Builder nodeInfo(@Nullable NodeInfo nodeInfo) {
            this.nodeInfo = Optional.ofNullable(nodeInfo);
            return this;
        }

        /**
         * Sets whether the instance has answered since its node registered it. Default: true. Has no effect on a healthy
         * instance and on one with facts.
         */
        public Builder proved(boolean proved) {
            this.proved = proved;
            return this;
        }

        public PluginInstance build() {
            return new PluginInstance(
                    key,
                    healthy,
                    healthDescription,
                    startedAt,
                    updatedAt,
                    provider,
                    vendorVersion,
                    capabilities,
                    nodeInfo,
                    proved);
        }
    }
}
