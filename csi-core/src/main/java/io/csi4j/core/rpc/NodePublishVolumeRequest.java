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
 * Asks the plugin to make a volume visible at one path on the node for one workload (CSI {@code NodePublishVolume},
 * R88-R90).
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
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param targetPath the path at which the volume will be visible: an absolute path that no other workload uses. The
     *     caller creates its parent directory, and the plugin creates the path itself (R88)
     * @param volumeCapability the capability with which the volume will be used
     */
    public static Builder builder(ExternalVolumeId volumeId, String targetPath, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.targetPath(targetPath);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /**
     * Returns the target path: an absolute path that no other workload uses. The caller creates its parent directory,
     * and the plugin creates the path itself (R88).
     */
    public String targetPath() {
        return targetPath;
    }

    /** Returns the capability with which the volume will be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /**
     * Returns the context from the response of ControllerPublishVolume. It must be set if the plugin has the capability
     * PUBLISH_UNPUBLISH_VOLUME, and only then.
     */
    public PublishContext publishContext() {
        return publishContext;
    }

    /**
     * Returns the staging path. It must be set if the plugin has the capability STAGE_UNSTAGE_VOLUME, and only then.
     */
    public Optional<String> stagingTargetPath() {
        return Optional.ofNullable(stagingTargetPath);
    }

    /** Returns whether the volume is mounted read-only at the target path. */
    public boolean readonly() {
        return readonly;
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

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /**
         * Sets the target path: an absolute path that no other workload uses. The caller creates its parent directory,
         * and the plugin creates the path itself (R88).
         */
        public Builder targetPath(String targetPath) {
            this.targetPath = Objects.requireNonNull(targetPath, "targetPath");
            return this;
        }

        /** Sets the capability with which the volume will be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /**
         * Sets the context from the response of ControllerPublishVolume. It must be set if the plugin has the
         * capability PUBLISH_UNPUBLISH_VOLUME, and only then.
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * Sets the staging path. It must be set if the plugin has the capability STAGE_UNSTAGE_VOLUME, and only then.
         */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /** Sets whether the volume is mounted read-only at the target path. */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
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
        public NodePublishVolumeRequest build() {
            return new NodePublishVolumeRequest(this);
        }
    }
}
