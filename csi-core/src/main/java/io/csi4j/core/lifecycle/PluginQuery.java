package io.csi4j.core.lifecycle;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginView;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A query for a list of plugins. A plugin is listed if it meets all given conditions. Immutable. */
public final class PluginQuery {
    private static final PluginQuery ALL = builder().build();

    private final String idPrefix;
    private final @Nullable Boolean schedulable;
    private final @Nullable Boolean controller;
    private final @Nullable PluginId after;
    private final int limit;

    private PluginQuery(Builder builder) {
        this.idPrefix = builder.idPrefix;
        this.schedulable = builder.schedulable;
        this.controller = builder.controller;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /** Returns a query for all plugins on one page. */
    public static PluginQuery all() {
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
        builder.schedulable = schedulable;
        builder.controller = controller;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /** Returns whether a plugin meets the conditions. Ignores the start and the size of the page. */
    public boolean matches(PluginView plugin) {
        return plugin.pluginId().value().startsWith(idPrefix)
                && (schedulable == null || schedulable == plugin.schedulable())
                && (controller == null || controller == plugin.healthyControllers() > 0);
    }

    /** Returns the position after which the list begins; empty to begin with the first entry. */
    public Optional<PluginId> after() {
        return Optional.ofNullable(after);
    }

    /** Returns the maximum number of plugins on a page, 1 or more. */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "PluginQuery[idPrefix=" + idPrefix + ", schedulable=" + schedulable + ", controller=" + controller
                + ", after=" + after + ", limit=" + limit + "]";
    }

    /** Builds queries. Not safe for use by several threads. */
    public static final class Builder {
        private String idPrefix = "";
        private @Nullable Boolean schedulable;
        private @Nullable Boolean controller;
        private @Nullable PluginId after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /** Lists only plugins whose ids begin with this prefix; an empty prefix matches all. */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /** Lists only plugins whose volumes can, or cannot, be claimed now ({@link PluginView#schedulable}); with null, both. */
        public Builder schedulable(@Nullable Boolean schedulable) {
            this.schedulable = schedulable;
            return this;
        }

        /** Lists only plugins with, or without, a healthy instance of the controller service; with null, both. */
        public Builder controller(@Nullable Boolean controller) {
            this.controller = controller;
            return this;
        }

        /** Lists only plugins after this id, whether or not a plugin has this id; null to begin with the first plugin. */
        public Builder after(@Nullable PluginId after) {
            this.after = after;
            return this;
        }

        /**
         * Sets the maximum number of plugins on a page.
         *
         * @param limit 1 or more
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder limit(int limit) {
            this.limit = PageLimit.checked("PluginQuery", limit);
            return this;
        }

        public PluginQuery build() {
            return new PluginQuery(this);
        }
    }
}
