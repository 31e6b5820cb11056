package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Objects;

/** Asks the plugin to make a volume available on a node (CSI {@code ControllerPublishVolume}, R61-R64). */
public final class ControllerPublishVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final ExternalNodeId nodeId;
    private final VolumeCapability volumeCapability;
    private final boolean readonly;
    private final Secrets secrets;
    private final VolumeContext volumeContext;

    private ControllerPublishVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.nodeId = builder.nodeId;
        this.volumeCapability = builder.volumeCapability;
        this.readonly = builder.readonly;
        this.secrets = builder.secrets;
        this.volumeContext = builder.volumeContext;
        RequestCheck check = new RequestCheck("ControllerPublishVolumeRequest");
        check.capability("volumeCapability", volumeCapability);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param nodeId the id that NodeGetInfo returned on the node (R61)
     * @param volumeCapability the capability with which the volume will be used
     */
    public static Builder builder(ExternalVolumeId volumeId, ExternalNodeId nodeId, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.nodeId(nodeId);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.volumeId = volumeId;
        builder.nodeId = nodeId;
        builder.volumeCapability = volumeCapability;
        builder.readonly = readonly;
        builder.secrets = secrets;
        builder.volumeContext = volumeContext;
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the id that NodeGetInfo returned on the node (R61). */
    public ExternalNodeId nodeId() {
        return nodeId;
    }

    /** Returns the capability with which the volume will be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /**
     * Returns whether the volume is published read-only. Only plugins with the capability PUBLISH_READONLY support
     * this.
     */
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
        fields.add("nodeId", nodeId);
        fields.add("volumeCapability", volumeCapability);
        fields.add("readonly", readonly);
        fields.add("secrets", secrets);
        fields.add("volumeContext", volumeContext);
    }

    /** Builds {@link ControllerPublishVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId volumeId;

        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalNodeId nodeId;

        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private VolumeCapability volumeCapability;

        private boolean readonly;
        private Secrets secrets = Secrets.empty();
        private VolumeContext volumeContext = VolumeContext.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the id that NodeGetInfo returned on the node (R61). */
        public Builder nodeId(ExternalNodeId nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            return this;
        }

        /** Sets the capability with which the volume will be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /**
         * Sets whether the volume is published read-only. Only plugins with the capability PUBLISH_READONLY support
         * this.
         */
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
        public ControllerPublishVolumeRequest build() {
            return new ControllerPublishVolumeRequest(this);
        }
    }
}
