package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A volume as its provider describes it (R57).
 */
public final class ExternalVolume {
    private final ExternalVolumeId volumeId;
    private final long capacityBytes;
    private final VolumeContext volumeContext;
    private final @Nullable VolumeContentSource contentSource;
    private final List<Topology> accessibleTopology;

    private ExternalVolume(Builder builder) {
        this.volumeId = builder.volumeId;
        this.capacityBytes = builder.capacityBytes;
        this.volumeContext = builder.volumeContext;
        this.contentSource = builder.contentSource;
        this.accessibleTopology = List.copyOf(builder.accessibleTopology);
    }

    /**
     * A builder with what is required.
     *
     * @param volumeId the provider's id
     * @return a new builder
     */
    public static Builder builder(ExternalVolumeId volumeId) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.volumeId = volumeId;
        builder.capacityBytes = capacityBytes;
        builder.volumeContext = volumeContext;
        builder.contentSource = contentSource;
        builder.accessibleTopology = accessibleTopology;
        return builder;
    }

    /**
     * The provider's id.
     *
     * @return the value, never null
     */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /**
     * The size in bytes; 0 for unknown.
     *
     * @return the value
     */
    public long capacityBytes() {
        return capacityBytes;
    }

    /**
     * What the provider answered at creation (R57).
     *
     * @return the value, never null
     */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    /**
     * What it was filled with.
     *
     * @return the value; empty: not given
     */
    public Optional<VolumeContentSource> contentSource() {
        return Optional.ofNullable(contentSource);
    }

    /**
     * From where it is accessible; empty for everywhere.
     *
     * @return the value, never null
     */
    public List<Topology> accessibleTopology() {
        return accessibleTopology;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ExternalVolume that
                && volumeId.equals(that.volumeId)
                && capacityBytes == that.capacityBytes
                && volumeContext.equals(that.volumeContext)
                && Objects.equals(contentSource, that.contentSource)
                && accessibleTopology.equals(that.accessibleTopology);
    }

    @Override
    public int hashCode() {
        return Objects.hash(volumeId, capacityBytes, volumeContext, contentSource, accessibleTopology);
    }

    @Override
    public String toString() {
        return "ExternalVolume[volumeId=" + volumeId + ", capacityBytes=" + capacityBytes + ", volumeContext="
                + volumeContext + ", contentSource=" + contentSource + ", accessibleTopology=" + accessibleTopology
                + "]";
    }

    /** Builds {@link ExternalVolume}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId volumeId;

        private long capacityBytes;
        private VolumeContext volumeContext = VolumeContext.empty();
        private @Nullable VolumeContentSource contentSource;
        private List<Topology> accessibleTopology = List.of();

        private Builder() {}

        /**
         * Sets: the provider's id.
         *
         * @param volumeId the value
         * @return this
         */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /**
         * Sets: the size in bytes; 0 for unknown.
         *
         * @param capacityBytes the value
         * @return this
         */
        public Builder capacityBytes(long capacityBytes) {
            this.capacityBytes = capacityBytes;
            return this;
        }

        /**
         * Sets: what the provider answered at creation (R57).
         *
         * @param volumeContext the value
         * @return this
         */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets: what it was filled with.
         *
         * @param contentSource the value
         * @return this
         */
        public Builder contentSource(VolumeContentSource contentSource) {
            this.contentSource = Objects.requireNonNull(contentSource, "contentSource");
            return this;
        }

        /**
         * Sets: from where it is accessible; empty for everywhere.
         *
         * @param accessibleTopology the value
         * @return this
         */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ExternalVolume build() {
            return new ExternalVolume(this);
        }
    }
}
