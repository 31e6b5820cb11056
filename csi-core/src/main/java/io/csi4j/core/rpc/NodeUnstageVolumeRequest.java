package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * Asks the plugin to undo the staging of a volume (CSI {@code NodeUnstageVolume}, R87). The call succeeds if the volume
 * is not staged.
 */
public final class NodeUnstageVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String stagingTargetPath;

    private NodeUnstageVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.stagingTargetPath = builder.stagingTargetPath;
        RequestCheck check = new RequestCheck("NodeUnstageVolumeRequest");
        check.path("stagingTargetPath", stagingTargetPath);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param stagingTargetPath the path at which the volume was staged
     */
    public static Builder builder(ExternalVolumeId volumeId, String stagingTargetPath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.stagingTargetPath(stagingTargetPath);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the staging path. */
    public String stagingTargetPath() {
        return stagingTargetPath;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("stagingTargetPath", stagingTargetPath);
    }

    /** Builds {@link NodeUnstageVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String stagingTargetPath = "";

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the staging path. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeUnstageVolumeRequest build() {
            return new NodeUnstageVolumeRequest(this);
        }
    }
}
