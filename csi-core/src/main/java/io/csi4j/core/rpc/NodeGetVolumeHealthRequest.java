package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin for the health of one volume on this node (CSI {@code NodeGetVolumeHealth}, alpha, since CSI 1.13,
 * R104).
 */
public final class NodeGetVolumeHealthRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final @Nullable String volumePublishPath;
    private final @Nullable String stagingTargetPath;

    private NodeGetVolumeHealthRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.volumePublishPath = builder.volumePublishPath;
        this.stagingTargetPath = builder.stagingTargetPath;
        RequestCheck check = new RequestCheck("NodeGetVolumeHealthRequest");
        check.optionalPath("volumePublishPath", volumePublishPath);
        check.optionalPath("stagingTargetPath", stagingTargetPath);
        check.done();
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

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the target path at which the volume was published, or at which publishing it was tried. */
    public Optional<String> volumePublishPath() {
        return Optional.ofNullable(volumePublishPath);
    }

    /** Returns the path at which the volume was staged, or at which staging it was tried. */
    public Optional<String> stagingTargetPath() {
        return Optional.ofNullable(stagingTargetPath);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("volumePublishPath", volumePublishPath);
        fields.add("stagingTargetPath", stagingTargetPath);
    }

    /** Builds {@link NodeGetVolumeHealthRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private @Nullable String volumePublishPath;
        private @Nullable String stagingTargetPath;

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the target path at which the volume was published, or at which publishing it was tried. */
        public Builder volumePublishPath(String volumePublishPath) {
            this.volumePublishPath = Objects.requireNonNull(volumePublishPath, "volumePublishPath");
            return this;
        }

        /** Sets the path at which the volume was staged, or at which staging it was tried. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeGetVolumeHealthRequest build() {
            return new NodeGetVolumeHealthRequest(this);
        }
    }
}
