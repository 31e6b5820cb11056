package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * Asks to undo a publishing (CSI {@code NodeUnpublishVolume}, R91).
 */
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param targetPath where it was published
     */
    public static Builder builder(ExternalVolumeId volumeId, String targetPath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.targetPath(targetPath);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Where it was published. */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: where it was published. */
        public Builder targetPath(String targetPath) {
            this.targetPath = Objects.requireNonNull(targetPath, "targetPath");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public NodeUnpublishVolumeRequest build() {
            return new NodeUnpublishVolumeRequest(this);
        }
    }
}
