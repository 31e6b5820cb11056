package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Objects;

/**
 * Asks the plugin to prepare a volume on the node once, before it is mounted there for any allocation (CSI
 * {@code NodeStageVolume}, R85, R86).
 */
public final class NodeStageVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String stagingTargetPath;
    private final VolumeCapability volumeCapability;
    private final PublishContext publishContext;
    private final Secrets secrets;
    private final VolumeContext volumeContext;

    private NodeStageVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.stagingTargetPath = builder.stagingTargetPath;
        this.volumeCapability = builder.volumeCapability;
        this.publishContext = builder.publishContext;
        this.secrets = builder.secrets;
        this.volumeContext = builder.volumeContext;
        RequestCheck check = new RequestCheck("NodeStageVolumeRequest");
        check.path("stagingTargetPath", stagingTargetPath);
        check.capability("volumeCapability", volumeCapability);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param stagingTargetPath the staging path: the absolute path of a directory that the caller has created (R85)
     * @param volumeCapability the capability with which the volume will be used
     */
    public static Builder builder(
            ExternalVolumeId volumeId, String stagingTargetPath, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.stagingTargetPath(stagingTargetPath);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the staging path: the absolute path of a directory that the caller has created (R85). */
    public String stagingTargetPath() {
        return stagingTargetPath;
    }

    /** Returns the capability with which the volume will be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /** Returns the context from the response of ControllerPublishVolume (R63). */
    public PublishContext publishContext() {
        return publishContext;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the volume context that CreateVolume returned (R57). */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("stagingTargetPath", stagingTargetPath);
        fields.add("volumeCapability", volumeCapability);
        fields.add("publishContext", publishContext);
        fields.add("secrets", secrets);
        fields.add("volumeContext", volumeContext);
    }

    /** Builds {@link NodeStageVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String stagingTargetPath = "";

        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private VolumeCapability volumeCapability;

        private PublishContext publishContext = PublishContext.empty();
        private Secrets secrets = Secrets.empty();
        private VolumeContext volumeContext = VolumeContext.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the staging path: the absolute path of a directory that the caller has created (R85). */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /** Sets the capability with which the volume will be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /** Sets the context from the response of ControllerPublishVolume (R63). */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets the volume context that CreateVolume returned (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeStageVolumeRequest build() {
            return new NodeStageVolumeRequest(this);
        }
    }
}
