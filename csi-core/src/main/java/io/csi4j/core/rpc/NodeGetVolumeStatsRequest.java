package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for usage at a path (CSI {@code NodeGetVolumeStats}, R92).
 */
public final class NodeGetVolumeStatsRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String volumePath;
    private final @Nullable String stagingTargetPath;

    private NodeGetVolumeStatsRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.volumePath = builder.volumePath;
        this.stagingTargetPath = builder.stagingTargetPath;
        RequestCheck check = new RequestCheck("NodeGetVolumeStatsRequest");
        check.path("volumePath", volumePath);
        check.optionalPath("stagingTargetPath", stagingTargetPath);
        check.done();
    }

    /**
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param volumePath a path at which the volume is published or staged
     */
    public static Builder builder(ExternalVolumeId volumeId, String volumePath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.volumePath(volumePath);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** A path at which the volume is published or staged. */
    public String volumePath() {
        return volumePath;
    }

    /** Where it is staged, if it is. */
    public Optional<String> stagingTargetPath() {
        return Optional.ofNullable(stagingTargetPath);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("volumePath", volumePath);
        fields.add("stagingTargetPath", stagingTargetPath);
    }

    /** Builds {@link NodeGetVolumeStatsRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String volumePath = "";
        private @Nullable String stagingTargetPath;

        private Builder() {}

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: a path at which the volume is published or staged. */
        public Builder volumePath(String volumePath) {
            this.volumePath = Objects.requireNonNull(volumePath, "volumePath");
            return this;
        }

        /** Sets: where it is staged, if it is. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public NodeGetVolumeStatsRequest build() {
            return new NodeGetVolumeStatsRequest(this);
        }
    }
}
