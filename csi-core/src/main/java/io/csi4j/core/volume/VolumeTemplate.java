package io.csi4j.core.volume;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeClassName;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A volume to be made from a class: the name of the class, and what the volume needs within the limits of the class. Immutable. */
public final class VolumeTemplate {
    private final VolumeClassName className;
    private final @Nullable CapacityRange capacityRange;
    private final List<RequestedCapability> requestedCapabilities;

    private VolumeTemplate(Builder builder) {
        this.className = builder.className;
        this.capacityRange = builder.capacityRange;
        this.requestedCapabilities = builder.requestedCapabilities;
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

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeTemplate that
                && className.equals(that.className)
                && Objects.equals(capacityRange, that.capacityRange)
                && requestedCapabilities.equals(that.requestedCapabilities);
    }

    @Override
    public int hashCode() {
        return Objects.hash(className, capacityRange, requestedCapabilities);
    }

    @Override
    public String toString() {
        return "VolumeTemplate[className=" + className + ", capacityRange=" + capacityRange + ", requestedCapabilities="
                + requestedCapabilities + "]";
    }

    /** Builds {@link VolumeTemplate}s. Not thread-safe. */
    public static final class Builder {
        private final VolumeClassName className;
        private @Nullable CapacityRange capacityRange;
        private List<RequestedCapability> requestedCapabilities = List.of();

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

        public VolumeTemplate build() {
            return new VolumeTemplate(this);
        }
    }
}
