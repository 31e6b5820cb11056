package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts that the plugin reported about a volume. Immutable; {@code toString} does not show the volume context.
 *
 * @param externalVolumeId the storage provider's id of a created volume (R57); empty before the creation, and for a
 *     volume whose id the host has declared
 * @param capacityBytes the size in bytes; 0 if unknown (R57)
 * @param accessibleTopology the topologies from which the volume is accessible; empty if it is accessible from
 *     everywhere (R57)
 * @param volumeContext the provider's context for later calls (R57); empty if there is none, or if the host has
 *     declared it
 * @param contentSource the source of the volume's content, as the provider reported it; empty if not reported
 */
public record ProviderFacts(
        Optional<ExternalVolumeId> externalVolumeId,
        long capacityBytes,
        List<Topology> accessibleTopology,
        VolumeContext volumeContext,
        Optional<VolumeContentSource> contentSource) {
    private static final ProviderFacts NONE = builder().build();

    /**
     * Checks the size, and copies the list.
     *
     * @throws IllegalArgumentException if the size is negative (R23)
     */
    public ProviderFacts {
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        if (capacityBytes < 0) {
            throw new IllegalArgumentException(
                    "ProviderFacts: capacityBytes is " + capacityBytes + "; use 0 if it is not known");
        }
        accessibleTopology = List.copyOf(Objects.requireNonNull(accessibleTopology, "accessibleTopology"));
        Objects.requireNonNull(volumeContext, "volumeContext");
        Objects.requireNonNull(contentSource, "contentSource");
    }

    /** Returns an object for a volume about which no fact is known. */
    public static ProviderFacts none() {
        return NONE;
    }

    /** Returns a builder in which no fact is set yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.externalVolumeId = externalVolumeId;
        builder.capacityBytes = capacityBytes;
        builder.accessibleTopology = accessibleTopology;
        builder.volumeContext = volumeContext;
        builder.contentSource = contentSource;
        return builder;
    }

    /** Builds {@link ProviderFacts}. Not thread-safe. */
    public static final class Builder {
        private Optional<ExternalVolumeId> externalVolumeId = Optional.empty();
        private long capacityBytes;
        private List<Topology> accessibleTopology = List.of();
        private VolumeContext volumeContext = VolumeContext.empty();
        private Optional<VolumeContentSource> contentSource = Optional.empty();

        private Builder() {}

        /** Sets the storage provider's id of a created volume (R57); null if not known. */
        public Builder externalVolumeId(@Nullable ExternalVolumeId externalVolumeId) {
            this.externalVolumeId = Optional.ofNullable(externalVolumeId);
            return this;
        }

        /**
         * Sets the size in bytes; 0 if unknown.
         *
         * @throws IllegalArgumentException if negative (R23)
         */
        public Builder capacityBytes(long capacityBytes) {
            if (capacityBytes < 0) {
                throw new IllegalArgumentException(
                        "ProviderFacts: capacityBytes is " + capacityBytes + "; use 0 if it is not known");
            }
            this.capacityBytes = capacityBytes;
            return this;
        }

        /** Sets the topologies from which the volume is accessible. */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /** Sets the storage provider's context for later calls (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /** Sets the source of the volume's content, as the storage provider reported it; null if not reported. */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = Optional.ofNullable(contentSource);
            return this;
        }

        public ProviderFacts build() {
            return new ProviderFacts(externalVolumeId, capacityBytes, accessibleTopology, volumeContext, contentSource);
        }
    }
}
