package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Objects;

/**
 * Asks to prepare a volume once per node (CSI {@code NodeStageVolume}, R85, R86).
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param stagingTargetPath where to stage: absolute, a directory that the caller has made (R85)
     * @param volumeCapability how the volume is to be used
     */
    public static Builder builder(
            ExternalVolumeId volumeId, String stagingTargetPath, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.stagingTargetPath(stagingTargetPath);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Where to stage: absolute, a directory that the caller has made (R85). */
    public String stagingTargetPath() {
        return stagingTargetPath;
    }

    /** How the volume is to be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /** What ControllerPublishVolume answered (R63). */
    public PublishContext publishContext() {
        return publishContext;
    }

    /** What authenticates the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** What the provider answered at creation (R57). */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: where to stage: absolute, a directory that the caller has made (R85). */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /** Sets: how the volume is to be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /** Sets: what ControllerPublishVolume answered (R63). */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /** Sets: what authenticates the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets: what the provider answered at creation (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public NodeStageVolumeRequest build() {
            return new NodeStageVolumeRequest(this);
        }
    }
}
