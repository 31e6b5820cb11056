package io.csi4j.core.state;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A query for a list of volumes. A volume is listed if it meets all given conditions. Immutable. */
public final class VolumeQuery {
    private static final VolumeQuery ALL = builder().build();

    private final @Nullable Namespace namespace;
    private final String idPrefix;
    private final @Nullable PluginId pluginId;
    private final @Nullable NodeId nodeId;
    private final @Nullable VolumePhase phase;
    private final @Nullable VolumeClassName className;
    private final @Nullable WorkloadName workload;
    private final boolean retained;
    private final @Nullable VolumeKey after;
    private final int limit;

    private VolumeQuery(Builder builder) {
        this.namespace = builder.namespace;
        this.idPrefix = builder.idPrefix;
        this.pluginId = builder.pluginId;
        this.nodeId = builder.nodeId;
        this.phase = builder.phase;
        this.className = builder.className;
        this.workload = builder.workload;
        this.retained = builder.retained;
        this.after = builder.after;
        this.limit = builder.limit;
    }

    /** Returns a query for all volumes on one page. */
    public static VolumeQuery all() {
        return ALL;
    }

    /** Returns a builder without conditions. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder with the conditions of this query. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.namespace = namespace;
        builder.idPrefix = idPrefix;
        builder.pluginId = pluginId;
        builder.nodeId = nodeId;
        builder.phase = phase;
        builder.className = className;
        builder.workload = workload;
        builder.retained = retained;
        builder.after = after;
        builder.limit = limit;
        return builder;
    }

    /** Returns whether a volume meets the conditions. Ignores the start and the size of the page. */
    public boolean matches(Volume volume) {
        return (namespace == null || namespace.equals(volume.key().namespace()))
                && volume.key().volumeId().value().startsWith(idPrefix)
                && (pluginId == null || pluginId.equals(volume.pluginId()))
                && (nodeId == null || volume.isOn(nodeId))
                && (phase == null || phase == volume.phase())
                && (className == null
                        || volume.classOrigin()
                                .map(ClassOrigin::name)
                                .filter(className::equals)
                                .isPresent())
                && (workload == null || belongsTo(volume, workload))
                && (!retained || volume.retainedSince().isPresent());
    }

    private static boolean belongsTo(Volume volume, WorkloadName name) {
        return volume.owner()
                .flatMap(VolumeOwner::ofWorkload)
                .filter(owner -> owner.workload().name().equals(name))
                .isPresent();
    }

    /** Returns the namespace of the listed volumes; empty for all namespaces. */
    public Optional<Namespace> namespace() {
        return Optional.ofNullable(namespace);
    }

    /** Returns the prefix of the ids of the listed volumes; an empty text matches all. */
    public String idPrefix() {
        return idPrefix;
    }

    /** Returns the plugin of the listed volumes; empty for all plugins. */
    public Optional<PluginId> pluginId() {
        return Optional.ofNullable(pluginId);
    }

    /**
     * Returns the node on which each listed volume has a claim or an attachment, or for a claim on which it is made;
     * empty if volumes on any node are listed.
     */
    public Optional<NodeId> nodeId() {
        return Optional.ofNullable(nodeId);
    }

    /** Returns the phase of the listed volumes; empty for all phases. */
    public Optional<VolumePhase> phase() {
        return Optional.ofNullable(phase);
    }

    /**
     * Returns the name of the class from which the listed volumes were made, in any incarnation of the class; empty for
     * volumes of all classes and of none.
     */
    public Optional<VolumeClassName> className() {
        return Optional.ofNullable(className);
    }

    /**
     * Returns the name of the workload to which the listed volumes belong, in any incarnation of the workload; empty for
     * volumes of all workloads and of none.
     */
    public Optional<WorkloadName> workload() {
        return Optional.ofNullable(workload);
    }

    /** Returns whether only volumes are listed that were retained when their workload ended. */
    public boolean retained() {
        return retained;
    }

    /** Returns the key after which the list begins; empty to begin with the first volume. */
    public Optional<VolumeKey> after() {
        return Optional.ofNullable(after);
    }

    /** Returns the maximum number of volumes on a page, 1 or more. */
    public int limit() {
        return limit;
    }

    @Override
    public String toString() {
        return "VolumeQuery[namespace=" + namespace + ", idPrefix=" + idPrefix + ", pluginId=" + pluginId + ", nodeId="
                + nodeId + ", phase=" + phase + ", className=" + className + ", workload=" + workload + ", retained="
                + retained + ", after=" + after + ", limit=" + limit + "]";
    }

    /** Builds {@link VolumeQuery}s. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable Namespace namespace;
        private String idPrefix = "";
        private @Nullable PluginId pluginId;
        private @Nullable NodeId nodeId;
        private @Nullable VolumePhase phase;
        private @Nullable VolumeClassName className;
        private @Nullable WorkloadName workload;
        private boolean retained;
        private @Nullable VolumeKey after;
        private int limit = Integer.MAX_VALUE;

        private Builder() {}

        /** Lists only volumes of this namespace; with null, volumes of all namespaces. */
        public Builder namespace(@Nullable Namespace namespace) {
            this.namespace = namespace;
            return this;
        }

        /** Lists only volumes whose ids begin with this prefix; an empty prefix matches all. */
        public Builder idPrefix(String idPrefix) {
            this.idPrefix = Objects.requireNonNull(idPrefix, "idPrefix");
            return this;
        }

        /** Lists only volumes of this plugin; with null, volumes of all plugins. */
        public Builder pluginId(@Nullable PluginId pluginId) {
            this.pluginId = pluginId;
            return this;
        }

        /** Lists only volumes with a claim or an attachment on this node; null to list volumes on any node. */
        public Builder nodeId(@Nullable NodeId nodeId) {
            this.nodeId = nodeId;
            return this;
        }

        /** Lists only volumes in this phase; with null, volumes in all phases. */
        public Builder phase(@Nullable VolumePhase phase) {
            this.phase = phase;
            return this;
        }

        /** Lists only volumes that were made from a class of this name; with null, volumes of all classes and of none. */
        public Builder className(@Nullable VolumeClassName className) {
            this.className = className;
            return this;
        }

        /** Lists only volumes that belong to a workload of this name; with null, volumes of all workloads and of none. */
        public Builder workload(@Nullable WorkloadName workload) {
            this.workload = workload;
            return this;
        }

        /** Lists only volumes that were retained when their workload ended. Default: false, which lists all. */
        public Builder retained(boolean retained) {
            this.retained = retained;
            return this;
        }

        /**
         * Lists only volumes after this key, whether or not a volume has this key; null to begin with the first volume.
         */
        public Builder after(@Nullable VolumeKey after) {
            this.after = after;
            return this;
        }

        /**
         * Sets the maximum number of volumes on a page.
         *
         * @param limit 1 or more
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder limit(int limit) {
            if (limit <= 0) {
                throw new IllegalArgumentException("VolumeQuery: limit is " + limit + "; use 1 or more");
            }
            this.limit = limit;
            return this;
        }

        public VolumeQuery build() {
            return new VolumeQuery(this);
        }
    }
}
