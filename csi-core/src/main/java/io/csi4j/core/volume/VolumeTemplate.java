package io.csi4j.core.volume;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.text.Text;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A volume to be made from a class: the name of the class, and what the volume needs within the limits of the class. In a
 * {@link io.csi4j.core.command.ClaimRequest}, the claim makes the volume where its allocation runs. Immutable.
 */
public final class VolumeTemplate {
    private final VolumeClassName className;
    private final @Nullable CapacityRange capacityRange;
    private final List<RequestedCapability> requestedCapabilities;
    private final VolumeLifetime lifetime;
    private final @Nullable WorkloadOwner workload;
    private final boolean reuseRetained;
    private final boolean nodeTopologyOnly;
    private final boolean keepUnused;
    private final Map<String, String> attributes;
    private final @Nullable VolumeContentSource contentSource;
    private final @Nullable SnapshotKey sourceSnapshot;

    private VolumeTemplate(Builder builder) {
        this.className = builder.className;
        this.capacityRange = builder.capacityRange;
        this.requestedCapabilities = builder.requestedCapabilities;
        this.lifetime = builder.lifetime;
        this.workload = builder.workload;
        this.reuseRetained = builder.reuseRetained;
        this.nodeTopologyOnly = builder.nodeTopologyOnly;
        this.keepUnused = builder.keepUnused;
        this.attributes = builder.attributes;
        this.contentSource = builder.contentSource;
        this.sourceSnapshot = builder.sourceSnapshot;
    }

    /** Returns a builder for a volume of a class. */
    public static Builder builder(VolumeClassName className) {
        return new Builder(className);
    }

    /** Returns a template with all values of the class. */
    public static VolumeTemplate of(VolumeClassName className) {
        return builder(className).build();
    }

    public VolumeClassName className() {
        return className;
    }

    /** Returns the requested size; empty for the default of the class. */
    public Optional<CapacityRange> capacityRange() {
        return Optional.ofNullable(capacityRange);
    }

    /** Returns the capabilities with which the volume has to be usable; empty for all capabilities of the class. */
    public List<RequestedCapability> requestedCapabilities() {
        return requestedCapabilities;
    }

    /** Returns how long the volume lives; PERSISTENT by default. */
    public VolumeLifetime lifetime() {
        return lifetime;
    }

    /** Returns the workload to which the volume belongs; present if the lifetime is WORKLOAD. */
    public Optional<WorkloadOwner> workload() {
        return Optional.ofNullable(workload);
    }

    /**
     * Returns whether the claim takes a volume with its key that a former life of the workload has left, with the data that
     * is in it. Otherwise such a claim is refused.
     */
    public boolean reuseRetained() {
        return reuseRetained;
    }

    /**
     * Returns whether the volume has to be accessible from the topology of the claim's node. Otherwise, the storage
     * provider may choose another topology of the class if there is no room near the node, and the claim is refused.
     */
    public boolean nodeTopologyOnly() {
        return nodeTopologyOnly;
    }

    /**
     * Returns whether a volume that was made, and that no claim has taken, stays. Otherwise it is deleted: when another
     * volume of the same claim cannot be made, when the provider has made it where the claim's node cannot use it, and
     * when no claim takes it for ten minutes.
     */
    public boolean keepUnused() {
        return keepUnused;
    }

    /**
     * Returns the attributes of an inline volume, which NodePublishVolume gets in the volume context. Their keys are those
     * that the class allows. They are never shown in a text.
     *
     * @return the attributes in the order in which they were given, unmodifiable
     */
    public Map<String, String> attributes() {
        return attributes;
    }

    /** Returns the snapshot or volume whose content the volume has at first; empty for an empty volume. */
    public Optional<VolumeContentSource> contentSource() {
        return Optional.ofNullable(contentSource);
    }

    /** Returns the snapshot of the state whose content the volume has at first; empty if there is none. */
    public Optional<SnapshotKey> sourceSnapshot() {
        return Optional.ofNullable(sourceSnapshot);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeTemplate that
                && className.equals(that.className)
                && Objects.equals(capacityRange, that.capacityRange)
                && requestedCapabilities.equals(that.requestedCapabilities)
                && lifetime == that.lifetime
                && Objects.equals(workload, that.workload)
                && reuseRetained == that.reuseRetained
                && nodeTopologyOnly == that.nodeTopologyOnly
                && keepUnused == that.keepUnused
                && attributes.equals(that.attributes)
                && Objects.equals(contentSource, that.contentSource)
                && Objects.equals(sourceSnapshot, that.sourceSnapshot);
    }

    @Override
    public int hashCode() {
        return Objects.hash(className, capacityRange, requestedCapabilities, lifetime);
    }

    @Override
    public String toString() {
        return "VolumeTemplate[className=" + className + ", capacityRange=" + capacityRange + ", requestedCapabilities="
                + requestedCapabilities + ", lifetime=" + lifetime + ", workload=" + workload + ", reuseRetained="
                + reuseRetained
                + ", nodeTopologyOnly=" + nodeTopologyOnly
                + ", keepUnused=" + keepUnused + ", attributes=" + attributes.size() + " not shown, contentSource="
                + contentSource + ", sourceSnapshot=" + sourceSnapshot + "]";
    }

    /** Builds {@link VolumeTemplate}s. Not thread-safe. */
    public static final class Builder {
        private final VolumeClassName className;
        private @Nullable CapacityRange capacityRange;
        private List<RequestedCapability> requestedCapabilities = List.of();
        private VolumeLifetime lifetime = VolumeLifetime.PERSISTENT;
        private @Nullable WorkloadOwner workload;
        private boolean reuseRetained;
        private boolean nodeTopologyOnly;
        private boolean keepUnused;
        private Map<String, String> attributes = Map.of();
        private @Nullable VolumeContentSource contentSource;
        private @Nullable SnapshotKey sourceSnapshot;

        private Builder(VolumeClassName className) {
            this.className = Objects.requireNonNull(className, "className");
        }

        /** Sets the size, within the limits of the class; null for the default of the class. */
        public Builder capacityRange(@Nullable CapacityRange capacityRange) {
            this.capacityRange = capacityRange;
            return this;
        }

        /** Sets the capabilities, each one of the class; empty for all capabilities of the class. */
        public Builder requestedCapabilities(List<RequestedCapability> requestedCapabilities) {
            this.requestedCapabilities = List.copyOf(requestedCapabilities);
            return this;
        }

        /** Makes a volume that belongs to the allocation that claims it. */
        public Builder ofAllocation() {
            this.lifetime = VolumeLifetime.ALLOCATION;
            this.workload = null;
            return this;
        }

        /** Makes a volume that belongs to a workload of its namespace. */
        public Builder ofWorkload(WorkloadOwner owner) {
            this.workload = Objects.requireNonNull(owner, "owner");
            this.lifetime = VolumeLifetime.WORKLOAD;
            return this;
        }

        /** Sets whether the claim takes a volume that a former life of the workload has left. Default: false. */
        public Builder reuseRetained(boolean reuseRetained) {
            this.reuseRetained = reuseRetained;
            return this;
        }

        /** Sets whether the volume has to be accessible from the topology of the claim's node. Default: false. */
        public Builder nodeTopologyOnly(boolean nodeTopologyOnly) {
            this.nodeTopologyOnly = nodeTopologyOnly;
            return this;
        }

        /** Sets whether a volume that no claim has taken stays. Default: false. */
        public Builder keepUnused(boolean keepUnused) {
            this.keepUnused = keepUnused;
            return this;
        }

        /**
         * Sets the attributes of an inline volume. No key may begin with {@link VolumeClass#RESERVED_PREFIX}.
         *
         * @param attributes empty, the default, for a volume that is not inline
         */
        public Builder attributes(Map<String, String> attributes) {
            // Keeps the order of the entries, so that all requests for a volume have identical bytes (R29).
            this.attributes = Collections.unmodifiableMap(
                    new LinkedHashMap<>(Text.checked("VolumeTemplate: attributes", attributes)));
            return this;
        }

        /** Sets the snapshot or volume whose content the volume gets; null, the default, for an empty volume. */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = contentSource;
            return this;
        }

        /**
         * Sets the snapshot of the state whose content the volume gets; null, the default, if there is none. The
         * snapshot has to be ready when the volume is requested, and is not deleted before the volume is made.
         */
        public Builder sourceSnapshot(@Nullable SnapshotKey sourceSnapshot) {
            this.sourceSnapshot = sourceSnapshot;
            return this;
        }

        public VolumeTemplate build() {
            return new VolumeTemplate(this);
        }
    }
}
