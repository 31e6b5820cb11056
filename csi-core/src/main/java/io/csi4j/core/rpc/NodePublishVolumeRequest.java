package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to make a volume visible at a path for one use (CSI {@code NodePublishVolume}, R88-R90).
 */
public final class NodePublishVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String targetPath;
    private final VolumeCapability volumeCapability;
    private final PublishContext publishContext;
    private final @Nullable String stagingTargetPath;
    private final boolean readonly;
    private final Secrets secrets;
    private final VolumeContext volumeContext;

    private NodePublishVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.targetPath = builder.targetPath;
        this.volumeCapability = builder.volumeCapability;
        this.publishContext = builder.publishContext;
        this.stagingTargetPath = builder.stagingTargetPath;
        this.readonly = builder.readonly;
        this.secrets = builder.secrets;
        this.volumeContext = builder.volumeContext;
        RequestCheck check = new RequestCheck("NodePublishVolumeRequest");
        check.path("targetPath", targetPath);
        check.capability("volumeCapability", volumeCapability);
        check.optionalPath("stagingTargetPath", stagingTargetPath);
        check.secrets(secrets);
        check.done();
    }

    /**
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param targetPath where: absolute, unique for this use; the caller makes the parent, the plugin the leaf (R88)
     * @param volumeCapability how the volume is to be used
     */
    public static Builder builder(ExternalVolumeId volumeId, String targetPath, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.targetPath(targetPath);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Where: absolute, unique for this use; the caller makes the parent, the plugin the leaf (R88). */
    public String targetPath() {
        return targetPath;
    }

    /** How the volume is to be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /** What ControllerPublishVolume answered; exactly with PUBLISH_UNPUBLISH_VOLUME. */
    public PublishContext publishContext() {
        return publishContext;
    }

    /** Where it is staged; exactly with STAGE_UNSTAGE_VOLUME. */
    public Optional<String> stagingTargetPath() {
        return Optional.ofNullable(stagingTargetPath);
    }

    /** Whether this use may only read. */
    public boolean readonly() {
        return readonly;
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
        fields.add("targetPath", targetPath);
        fields.add("volumeCapability", volumeCapability);
        fields.add("publishContext", publishContext);
        fields.add("stagingTargetPath", stagingTargetPath);
        fields.add("readonly", readonly);
        fields.add("secrets", secrets);
        fields.add("volumeContext", volumeContext);
    }

    /** Builds {@link NodePublishVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String targetPath = "";

        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private VolumeCapability volumeCapability;

        private PublishContext publishContext = PublishContext.empty();
        private @Nullable String stagingTargetPath;
        private boolean readonly;
        private Secrets secrets = Secrets.empty();
        private VolumeContext volumeContext = VolumeContext.empty();

        private Builder() {}

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: where: absolute, unique for this use; the caller makes the parent, the plugin the leaf (R88). */
        public Builder targetPath(String targetPath) {
            this.targetPath = Objects.requireNonNull(targetPath, "targetPath");
            return this;
        }

        /** Sets: how the volume is to be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /** Sets: what ControllerPublishVolume answered; exactly with PUBLISH_UNPUBLISH_VOLUME. */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /** Sets: where it is staged; exactly with STAGE_UNSTAGE_VOLUME. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /** Sets: whether this use may only read. */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
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
        public NodePublishVolumeRequest build() {
            return new NodePublishVolumeRequest(this);
        }
    }
}
