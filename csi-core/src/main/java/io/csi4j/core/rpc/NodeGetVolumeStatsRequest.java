package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks the plugin for the usage of a volume at a path (CSI {@code NodeGetVolumeStats}, R92). */
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
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param volumePath a path at which the volume is published or staged
     */
    public static Builder builder(ExternalVolumeId volumeId, String volumePath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.volumePath(volumePath);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns a path at which the volume is published or staged. */
    public String volumePath() {
        return volumePath;
    }

    /** Returns the staging path; empty if the volume is not staged. */
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

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets a path at which the volume is published or staged. */
        public Builder volumePath(String volumePath) {
            this.volumePath = Objects.requireNonNull(volumePath, "volumePath");
            return this;
        }

        /** Sets the staging path; empty if the volume is not staged. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeGetVolumeStatsRequest build() {
            return new NodeGetVolumeStatsRequest(this);
        }
    }
}
