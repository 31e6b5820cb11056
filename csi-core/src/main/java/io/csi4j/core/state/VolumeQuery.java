package io.csi4j.core.state;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which volumes to list. A volume is listed if it meets every condition that is given, whatever the
 * combination. Immutable.
 */
public final class VolumeQuery {
    private static final VolumeQuery ALL = builder().build();

    private final @Nullable Namespace namespace;
    private final String idPrefix;
    private final @Nullable PluginId pluginId;
    private final @Nullable NodeId nodeId;
    private final @Nullable VolumeKey after;
    private final int limit;

    private VolumeQuery(Builder builder) {
        this.namespace = builder.namespace;
        this.idPrefix = builder.idPrefix;
        this.pluginId = builder.pluginId;
        this.nodeId = builder.nodeId;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /**
     * All volumes on one page.
     *
     * @return a query without conditions
     */
    public static VolumeQuery all() {
        return ALL;
    }

    /**
     * A builder without conditions.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that begins with these conditions.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.namespace = namespace;
        builder.idPrefix = idPrefix;
        builder.pluginId = pluginId;
        builder.nodeId = nodeId;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /**
     * Whether a volume meets the conditions. The place in the listing and the limit do not matter here.
     *
     * @param volume any volume
     * @return true if it is one to list
     */
    public boolean matches(Volume volume) {
        return (namespace == null || namespace.equals(volume.key().namespace()))
                && volume.key().volumeId().value().startsWith(idPrefix)
                && (pluginId == null || pluginId.equals(volume.pluginId()))
                && (nodeId == null || volume.isOn(nodeId));
    }

    /**
     * Only volumes of this namespace.
     *
     * @return empty: of any
     */
    public Optional<Namespace> namespace() {
        return Optional.ofNullable(namespace);
    }

    /**
     * Only volumes whose id begins so.
     *
     * @return empty text: any
     */
    public String idPrefix() {
        return idPrefix;
    }

    /**
     * Only volumes of this plugin.
     *
     * @return empty: of any
     */
    public Optional<PluginId> pluginId() {
        return Optional.ofNullable(pluginId);
    }

    /**
     * Only volumes with a claim or an attachment on this node.
     *
     * @return empty: wherever
     */
    public Optional<NodeId> nodeId() {
        return Optional.ofNullable(nodeId);
    }

    /**
     * Only volumes that come after this key.
     *
     * @return empty: from the beginning
     */
    public Optional<VolumeKey> after() {
        return Optional.ofNullable(after);
    }

    /**
     * How many volumes a page may hold.
     *
     * @return above 0
     */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "VolumeQuery[namespace=" + namespace + ", idPrefix=" + idPrefix + ", pluginId=" + pluginId + ", nodeId="
                + nodeId + ", after=" + after + ", limit=" + limit + "]";
    }

    /** Builds {@link VolumeQuery}s. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable Namespace namespace;
        private String idPrefix = "";
        private @Nullable PluginId pluginId;
        private @Nullable NodeId nodeId;
        private @Nullable VolumeKey after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /**
         * Only volumes of this namespace.
         *
         * @param namespace the namespace, or null: any
         */
        public Builder namespace(@Nullable Namespace namespace) {
            this.namespace = namespace;
            return this;
        }

        /**
         * Only volumes whose id begins so.
         *
         * @param idPrefix the beginning; empty: any
         */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /**
         * Only volumes of this plugin.
         *
         * @param pluginId the plugin, or null: any
         */
        public Builder pluginId(@Nullable PluginId pluginId) {
            this.pluginId = pluginId;
            return this;
        }

        /**
         * Only volumes with a claim or an attachment on this node.
         *
         * @param nodeId the node, or null: wherever
         */
        public Builder nodeId(@Nullable NodeId nodeId) {
            this.nodeId = nodeId;
            return this;
        }

        /**
         * Only volumes that come after this key, whether or not there is a volume of that key.
         *
         * @param after the key, or null: from the beginning
         */
        public Builder after(@Nullable VolumeKey after) {
            this.after = after;
            return this;
        }

        /**
         * At most this many volumes on the page.
         *
         * @param limit above 0
         * @throws IllegalArgumentException if not above 0
         */
        public Builder limit(int limit) {
            if (limit <= 0) {
                throw new IllegalArgumentException("VolumeQuery: limit is " + limit + "; use 1 or more");
            }
            this.limit = limit;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public VolumeQuery build() {
            return new VolumeQuery(this);
        }
    }
}
