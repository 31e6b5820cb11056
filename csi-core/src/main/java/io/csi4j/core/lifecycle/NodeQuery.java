package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.StateReader;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A query for a list of nodes. A node is listed if it meets all given conditions. Immutable. */
public final class NodeQuery {
    private static final NodeQuery ALL = builder().build();

    private final String idPrefix;
    private final @Nullable NodeStatus status;
    private final @Nullable PluginId pluginId;
    private final @Nullable NodeId after;
    private final int limit;

    private NodeQuery(Builder builder) {
        this.idPrefix = builder.idPrefix;
        this.status = builder.status;
        this.pluginId = builder.pluginId;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /** Returns a query for all nodes on one page. */
    public static NodeQuery all() {
        return ALL;
    }

    /** Returns a builder without conditions. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder with the conditions of this query. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.idPrefix = idPrefix;
        builder.status = status;
        builder.pluginId = pluginId;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /** Returns whether a node of a state meets the conditions. Ignores the start and the size of the page. */
    public boolean matches(StateReader state, Node node) {
        return node.id().value().startsWith(idPrefix)
                && (status == null || status == node.status())
                && (pluginId == null
                        || state.instancesOn(node.id(), pluginId).iterator().hasNext());
    }

    /** Returns the position after which the list begins; empty to begin with the first entry. */
    public Optional<NodeId> after() {
        return Optional.ofNullable(after);
    }

    /** Returns the maximum number of nodes on a page, 1 or more. */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "NodeQuery[idPrefix=" + idPrefix + ", status=" + status + ", pluginId=" + pluginId + ", after=" + after
                + ", limit=" + limit + "]";
    }

    /** Builds queries. Not safe for use by several threads. */
    public static final class Builder {
        private String idPrefix = "";
        private @Nullable NodeStatus status;
        private @Nullable PluginId pluginId;
        private @Nullable NodeId after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /** Lists only nodes whose ids begin with this prefix; an empty prefix matches all. */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /** Lists only nodes with this status; with null, nodes with any status. */
        public Builder status(@Nullable NodeStatus status) {
            this.status = status;
            return this;
        }

        /** Lists only nodes with an instance of this plugin, healthy or not; null to list nodes with any plugins. */
        public Builder pluginId(@Nullable PluginId pluginId) {
            this.pluginId = pluginId;
            return this;
        }

        /** Lists only nodes after this id, whether or not a node has this id; null to begin with the first node. */
        public Builder after(@Nullable NodeId after) {
            this.after = after;
            return this;
        }

        /**
         * Sets the maximum number of nodes on a page.
         *
         * @param limit 1 or more
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder limit(int limit) {
            this.limit = PageLimit.checked("NodeQuery", limit);
            return this;
        }

        public NodeQuery build() {
            return new NodeQuery(this);
        }
    }
}
