package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A query for a list of calls that have not ended. A call is listed if it meets all given conditions. A call whose volume
 * the caller may not read meets no condition about volumes. Immutable.
 */
public final class CallQuery {
    private static final CallQuery ALL = builder().build();

    private final String idPrefix;
    private final @Nullable Namespace namespace;
    private final @Nullable PluginId pluginId;
    private final @Nullable NodeId nodeId;
    private final @Nullable Rpc rpc;
    private final @Nullable Boolean failing;
    private final @Nullable Long after;
    private final int limit;

    private CallQuery(Builder builder) {
        this.idPrefix = builder.idPrefix;
        this.namespace = builder.namespace;
        this.pluginId = builder.pluginId;
        this.nodeId = builder.nodeId;
        this.rpc = builder.rpc;
        this.failing = builder.failing;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /** Returns a query for all calls on one page. */
    public static CallQuery all() {
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
        builder.namespace = namespace;
        builder.pluginId = pluginId;
        builder.nodeId = nodeId;
        builder.rpc = rpc;
        builder.failing = failing;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /**
     * Returns whether a call meets the conditions. Ignores the start and the size of the page.
     *
     * @param call the call as the caller may see it
     */
    public boolean matches(PluginCall call) {
        return (idPrefix.isEmpty()
                        || call.volume()
                                .filter(key -> key.volumeId().value().startsWith(idPrefix))
                                .isPresent())
                && (namespace == null
                        || call.volume()
                                .filter(key -> key.namespace().equals(namespace))
                                .isPresent())
                && (pluginId == null || pluginId.equals(call.pluginId()))
                && (nodeId == null || call.nodeId().filter(nodeId::equals).isPresent())
                && (rpc == null || rpc == call.rpc())
                && (failing == null || failing == call.attempt() > 1);
    }

    /** Returns the position after which the list begins; empty to begin with the first entry. */
    public Optional<Long> after() {
        return Optional.ofNullable(after);
    }

    /** Returns the maximum number of calls on a page, 1 or more. */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "CallQuery[idPrefix=" + idPrefix + ", namespace=" + namespace + ", pluginId=" + pluginId + ", nodeId="
                + nodeId + ", rpc=" + rpc + ", failing=" + failing + ", after=" + after + ", limit=" + limit + "]";
    }

    /** Builds queries. Not safe for use by several threads. */
    public static final class Builder {
        private String idPrefix = "";
        private @Nullable Namespace namespace;
        private @Nullable PluginId pluginId;
        private @Nullable NodeId nodeId;
        private @Nullable Rpc rpc;
        private @Nullable Boolean failing;
        private @Nullable Long after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /** Lists only calls for volumes whose ids begin with this prefix; an empty prefix matches all calls. */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /** Lists only calls for volumes of this namespace; null to list all calls. */
        public Builder namespace(@Nullable Namespace namespace) {
            this.namespace = namespace;
            return this;
        }

        /** Lists only calls to this plugin; with null, to all plugins. */
        public Builder pluginId(@Nullable PluginId pluginId) {
            this.pluginId = pluginId;
            return this;
        }

        /** Lists only calls that were sent to an instance on this node; null to list calls on any node, and calls that wait. */
        public Builder nodeId(@Nullable NodeId nodeId) {
            this.nodeId = nodeId;
            return this;
        }

        /** Lists only calls of this kind; with null, of all kinds. {@link Rpc#NODE_UNPUBLISH_VOLUME} stands for all calls of a release on a node. */
        public Builder rpc(@Nullable Rpc rpc) {
            this.rpc = rpc;
            return this;
        }

        /** Lists only calls whose earlier attempts have failed, or only first attempts; with null, both. */
        public Builder failing(@Nullable Boolean failing) {
            this.failing = failing;
            return this;
        }

        /** Lists only calls that came after the last call of an earlier page, by {@link io.csi4j.core.state.ListPage#next}; null to begin with the oldest. A position counts only for this engine. */
        public Builder after(@Nullable Long after) {
            this.after = after;
            return this;
        }

        /**
         * Sets the maximum number of calls on a page.
         *
         * @param limit 1 or more
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder limit(int limit) {
            this.limit = PageLimit.checked("CallQuery", limit);
            return this;
        }

        public CallQuery build() {
            return new CallQuery(this);
        }
    }
}
