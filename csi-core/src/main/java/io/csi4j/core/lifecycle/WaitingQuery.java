package io.csi4j.core.lifecycle;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.StateReader;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A query for a list of waiting claims. A claim is listed if it meets all given conditions, by the volumes that the caller
 * may read. Immutable.
 */
public final class WaitingQuery {
    private static final WaitingQuery ALL = builder().build();

    private final String idPrefix;
    private final @Nullable Namespace namespace;
    private final @Nullable PluginId pluginId;
    private final @Nullable NodeId nodeId;
    private final @Nullable WaitReason reason;
    private final @Nullable Long after;
    private final int limit;

    private WaitingQuery(Builder builder) {
        this.idPrefix = builder.idPrefix;
        this.namespace = builder.namespace;
        this.pluginId = builder.pluginId;
        this.nodeId = builder.nodeId;
        this.reason = builder.reason;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /** Returns a query for all claims on one page. */
    public static WaitingQuery all() {
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
        builder.reason = reason;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /**
     * Returns whether a claim meets the conditions. Ignores the start and the size of the page.
     *
     * @param state the state that has the allocation and the volumes of the claim
     * @param claim the claim as the caller may see it
     */
    public boolean matches(StateReader state, WaitingClaim claim) {
        return claim.allocationId().value().startsWith(idPrefix)
                && any(claim, namespace, request -> request.volume().namespace().equals(namespace))
                && any(
                        claim,
                        pluginId,
                        request -> state.volume(request.volume())
                                .filter(volume -> volume.pluginId().equals(pluginId))
                                .isPresent())
                && (nodeId == null
                        || state.allocation(claim.allocationId())
                                .filter(allocation -> allocation.nodeId().equals(nodeId))
                                .isPresent())
                && (reason == null
                        || claim.reason()
                                .filter(wait -> wait.reason() == reason)
                                .isPresent());
    }

    private static boolean any(WaitingClaim claim, @Nullable Object condition, Predicate<ClaimRequest> met) {
        return condition == null || claim.requests().stream().anyMatch(met);
    }

    /** Returns the position after which the list begins; empty to begin with the first entry. */
    public Optional<Long> after() {
        return Optional.ofNullable(after);
    }

    /** Returns the maximum number of claims on a page, 1 or more. */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "WaitingQuery[idPrefix=" + idPrefix + ", namespace=" + namespace + ", pluginId=" + pluginId + ", nodeId="
                + nodeId + ", reason=" + reason + ", after=" + after + ", limit=" + limit + "]";
    }

    /** Builds queries. Not safe for use by several threads. */
    public static final class Builder {
        private String idPrefix = "";
        private @Nullable Namespace namespace;
        private @Nullable PluginId pluginId;
        private @Nullable NodeId nodeId;
        private @Nullable WaitReason reason;
        private @Nullable Long after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /** Lists only claims of allocations whose ids begin with this prefix; an empty prefix matches all. */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /** Lists only claims on a volume of this namespace; with null, on volumes of all namespaces. */
        public Builder namespace(@Nullable Namespace namespace) {
            this.namespace = namespace;
            return this;
        }

        /** Lists only claims on a volume of this plugin; with null, on volumes of all plugins. */
        public Builder pluginId(@Nullable PluginId pluginId) {
            this.pluginId = pluginId;
            return this;
        }

        /** Lists only claims of allocations on this node; with null, of allocations on any node. */
        public Builder nodeId(@Nullable NodeId nodeId) {
            this.nodeId = nodeId;
            return this;
        }

        /** Lists only claims that wait for this reason; null to list claims that wait for any reason, and claims that the engine is deciding. */
        public Builder reason(@Nullable WaitReason reason) {
            this.reason = reason;
            return this;
        }

        /** Lists only claims that came after the last claim of an earlier page, by {@link io.csi4j.core.state.ListPage#next}; null to begin with the oldest. A position counts only as long as this engine leads. */
        public Builder after(@Nullable Long after) {
            this.after = after;
            return this;
        }

        /**
         * Sets the maximum number of claims on a page.
         *
         * @param limit 1 or more
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder limit(int limit) {
            this.limit = PageLimit.checked("WaitingQuery", limit);
            return this;
        }

        public WaitingQuery build() {
            return new WaitingQuery(this);
        }
    }
}
