package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/** Asks the plugin to unpublish a volume from its target path on the node (CSI {@code NodeUnpublishVolume}, R91). */
public final class NodeUnpublishVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String targetPath;

    private NodeUnpublishVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.targetPath = builder.targetPath;
        RequestCheck check = new RequestCheck("NodeUnpublishVolumeRequest");
        check.path("targetPath", targetPath);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param targetPath the path at which the volume was published
     */
    public static Builder builder(ExternalVolumeId volumeId, String targetPath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.targetPath(targetPath);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the target path. */
    public String targetPath() {
        return targetPath;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("targetPath", targetPath);
    }

    /** Builds {@link NodeUnpublishVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String targetPath = "";

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the target path. */
        public Builder targetPath(String targetPath) {
            this.targetPath = Objects.requireNonNull(targetPath, "targetPath");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeUnpublishVolumeRequest build() {
            return new NodeUnpublishVolumeRequest(this);
        }
    }
}
