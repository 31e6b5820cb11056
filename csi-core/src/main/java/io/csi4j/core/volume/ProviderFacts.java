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
 * What the provider told about a volume. Immutable; shows nothing sensitive.
 *
 * @param externalVolumeId the provider's id of a volume that was created (R57); empty: it is not known, or the host declared
 *     it
 * @param capacityBytes its size in bytes; 0: unknown (R57)
 * @param accessibleTopology from where it is accessible; empty: from everywhere (R57)
 * @param volumeContext the context for later calls (R57); empty: none, or the host declared it
 * @param contentSource its content source, as the provider's answer names it; empty: not given
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

    /**
     * Nothing told.
     *
     * @return the empty value
     */
    public static ProviderFacts none() {
        return NONE;
    }

    /** A builder with nothing told. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that begins with these values. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.externalVolumeId = externalVolumeId;
        builder.capacityBytes = capacityBytes;
        builder.accessibleTopology = accessibleTopology;
        builder.volumeContext = volumeContext;
        builder.contentSource = contentSource;
        return builder;
    }

    /** Builds {@link ProviderFacts}. Not safe for use by several threads. */
    public static final class Builder {
        private Optional<ExternalVolumeId> externalVolumeId = Optional.empty();
        private long capacityBytes;
        private List<Topology> accessibleTopology = List.of();
        private VolumeContext volumeContext = VolumeContext.empty();
        private Optional<VolumeContentSource> contentSource = Optional.empty();

        private Builder() {}

        /**
         * Sets: the provider's id of a volume that was created (R57).
         *
         * @param externalVolumeId the value, or null: not given
         */
        public Builder externalVolumeId(@Nullable ExternalVolumeId externalVolumeId) {
            this.externalVolumeId = Optional.ofNullable(externalVolumeId);
            return this;
        }

        /**
         * Sets: how large it is.
         *
         * @param capacityBytes 0: unknown
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

        /** Sets: from where it is accessible. */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /** Sets: what the provider wants to be told in later calls (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets: what it was filled with, in the words of the provider.
         *
         * @param contentSource the value, or null: not given
         */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = Optional.ofNullable(contentSource);
            return this;
        }

        /** The value built so far. */
        public ProviderFacts build() {
            return new ProviderFacts(externalVolumeId, capacityBytes, accessibleTopology, volumeContext, contentSource);
        }
    }
}
