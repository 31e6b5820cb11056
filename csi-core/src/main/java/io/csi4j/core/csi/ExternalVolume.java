package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume as its plugin describes it (R57).
 *
 * @param volumeId the storage provider's id of the volume
 * @param capacityBytes the size in bytes; 0 if unknown
 * @param volumeContext the volume context that CreateVolume returned (R57)
 * @param contentSource the source of the volume's content; empty if not reported
 * @param accessibleTopology the topologies from which the volume is accessible; empty if it is accessible from
 *     everywhere
 */
public record ExternalVolume(
        ExternalVolumeId volumeId,
        long capacityBytes,
        VolumeContext volumeContext,
        Optional<VolumeContentSource> contentSource,
        List<Topology> accessibleTopology) {
    public ExternalVolume {
        Objects.requireNonNull(volumeId, "volumeId");
        Objects.requireNonNull(volumeContext, "volumeContext");
        Objects.requireNonNull(contentSource, "contentSource");
        accessibleTopology = List.copyOf(Objects.requireNonNull(accessibleTopology, "accessibleTopology"));
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     */
    public static Builder builder(ExternalVolumeId volumeId) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.volumeId = volumeId;
        builder.capacityBytes = capacityBytes;
        builder.volumeContext = volumeContext;
        builder.contentSource = contentSource;
        builder.accessibleTopology = accessibleTopology;
        return builder;
    }

    /** Builds {@link ExternalVolume}s. Not thread-safe. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId volumeId;

        private long capacityBytes;
        private VolumeContext volumeContext = VolumeContext.empty();
        private Optional<VolumeContentSource> contentSource = Optional.empty();
        private List<Topology> accessibleTopology = List.of();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the size in bytes; 0 if unknown. */
        public Builder capacityBytes(long capacityBytes) {
            this.capacityBytes = capacityBytes;
            return this;
        }

        /** Sets the volume context that CreateVolume returned (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /** Sets the source of the volume's content. */
        public Builder contentSource(VolumeContentSource contentSource) {
            this.contentSource = Optional.of(Objects.requireNonNull(contentSource, "contentSource"));
            return this;
        }

        /** Sets the topologies from which the volume is accessible; empty if it is accessible from everywhere. */
        public Builder accessibleTopology(List<Topology> accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        public ExternalVolume build() {
            return new ExternalVolume(volumeId, capacityBytes, volumeContext, contentSource, accessibleTopology);
        }
    }
}
