package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Objects;

/**
 * Asks to make a volume available on a node (CSI {@code ControllerPublishVolume}, R61-R64).
 */
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param nodeId the node, as its NodeGetInfo told (R61)
     * @param volumeCapability how the volume is to be used
     */
    public static Builder builder(ExternalVolumeId volumeId, ExternalNodeId nodeId, VolumeCapability volumeCapability) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.nodeId(nodeId);
        builder.volumeCapability(volumeCapability);
        return builder;
    }

    /** A builder that begins with these values. */
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

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** The node, as its NodeGetInfo told (R61). */
    public ExternalNodeId nodeId() {
        return nodeId;
    }

    /** How the volume is to be used. */
    public VolumeCapability volumeCapability() {
        return volumeCapability;
    }

    /** Whether to publish read-only; needs PUBLISH_READONLY. */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: the node, as its NodeGetInfo told (R61). */
        public Builder nodeId(ExternalNodeId nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            return this;
        }

        /** Sets: how the volume is to be used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /** Sets: whether to publish read-only; needs PUBLISH_READONLY. */
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
        public ControllerPublishVolumeRequest build() {
            return new ControllerPublishVolumeRequest(this);
        }
    }
}
