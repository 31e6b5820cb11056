package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the health of one volume on this node (CSI {@code NodeGetVolumeHealth}, alpha, since 1.13, R104).
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     */
    public static Builder builder(ExternalVolumeId volumeId) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Where it is published, or publishing was attempted. */
    public Optional<String> volumePublishPath() {
        return Optional.ofNullable(volumePublishPath);
    }

    /** Where it is staged, or staging was attempted. */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: where it is published, or publishing was attempted. */
        public Builder volumePublishPath(String volumePublishPath) {
            this.volumePublishPath = Objects.requireNonNull(volumePublishPath, "volumePublishPath");
            return this;
        }

        /** Sets: where it is staged, or staging was attempted. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public NodeGetVolumeHealthRequest build() {
            return new NodeGetVolumeHealthRequest(this);
        }
    }
}
