package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the provider told about a volume. Immutable; shows nothing sensitive. */
public final class ProviderFacts {
    private static final ProviderFacts NONE = builder().build();

    private final @Nullable ExternalVolumeId externalVolumeId;
    private final long capacityBytes;
    private final List<Topology> accessibleTopology;
    private final VolumeContext volumeContext;
    private final @Nullable VolumeContentSource contentSource;

    private ProviderFacts(Builder builder) {
        this.externalVolumeId = builder.externalVolumeId;
        this.capacityBytes = builder.capacityBytes;
        this.accessibleTopology = List.copyOf(builder.accessibleTopology);
        this.volumeContext = builder.volumeContext;
        this.contentSource = builder.contentSource;
    }

    /**
     * Nothing told.
     *
     * @return the empty value
     */
    public static ProviderFacts none() {
        return NONE;
    }

    /**
     * A builder with nothing told.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.externalVolumeId = externalVolumeId;
        builder.capacityBytes = capacityBytes;
        builder.accessibleTopology = accessibleTopology;
        builder.volumeContext = volumeContext;
        builder.contentSource = contentSource;
        return builder;
    }

    /**
     * The provider's id of a volume that was created (R57).
     *
     * @return empty: it is not known, or the host declared it
     */
    public Optional<ExternalVolumeId> externalVolumeId() {
        return Optional.ofNullable(externalVolumeId);
    }

    /**
     * How large it is.
     *
     * @return 0: unknown (R57)
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * From where it is accessible.
     *
     * @return empty: from everywhere (R57)
     */
    public List<Topology> accessibleTopology() {
        return accessibleTopology;
    }

    /**
     * What the provider wants to be told in later calls (R57).
     *
     * @return empty: nothing, or the host declared it
     */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    /**
     * What it was filled with, in the words of the provider.
     *
     * @return empty: not told
     */
    public Optional<VolumeContentSource> contentSource() {
        return Optional.ofNullable(contentSource);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ProviderFacts that
                && Objects.equals(externalVolumeId, that.externalVolumeId)
                && capacityBytes == that.capacityBytes
                && accessibleTopology.equals(that.accessibleTopology)
                && volumeContext.equals(that.volumeContext)
                && Objects.equals(contentSource, that.contentSource);
    }

    @Override
    public int hashCode() {
        return Objects.hash(externalVolumeId, capacityBytes, accessibleTopology, volumeContext, contentSource);
    }

    @Override
    public String toString() {
        return "ProviderFacts[externalVolumeId=" + externalVolumeId + ", capacityBytes=" + capacityBytes
                + ", accessibleTopology=" + accessibleTopology + ", volumeContext=" + volumeContext
                + ", contentSource=" + contentSource + "]";
    }

    /** Builds {@link ProviderFacts}. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable ExternalVolumeId externalVolumeId;
        private long capacityBytes;
        private List<Topology> accessibleTopology = List.of();
        private VolumeContext volumeContext = VolumeContext.empty();
        private @Nullable VolumeContentSource contentSource;

        private Builder() {}

        /**
         * Sets: the provider's id of a volume that was created (R57).
         *
         * @param externalVolumeId the value, or null: not given
         * @return this
         */
        public Builder externalVolumeId(@Nullable ExternalVolumeId externalVolumeId) {
            this.externalVolumeId = externalVolumeId;
            return this;
        }

        /**
         * Sets: how large it is.
         *
         * @param capacityBytes 0: unknown
         * @return this
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

        /**
         * Sets: from where it is accessible.
         *
         * @param accessibleTopology the value
         * @return this
         */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /**
         * Sets: what the provider wants to be told in later calls (R57).
         *
         * @param volumeContext the value
         * @return this
         */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets: what it was filled with, in the words of the provider.
         *
         * @param contentSource the value, or null: not given
         * @return this
         */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = contentSource;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ProviderFacts build() {
            return new ProviderFacts(this);
        }
    }
}
