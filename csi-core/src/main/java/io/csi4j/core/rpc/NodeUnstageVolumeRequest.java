package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * Asks to undo the staging of a volume; not staged is a success (CSI {@code NodeUnstageVolume}, R87).
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param stagingTargetPath where it was staged
     */
    public static Builder builder(ExternalVolumeId volumeId, String stagingTargetPath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.stagingTargetPath(stagingTargetPath);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Where it was staged. */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: where it was staged. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public NodeUnstageVolumeRequest build() {
            return new NodeUnstageVolumeRequest(this);
        }
    }
}
