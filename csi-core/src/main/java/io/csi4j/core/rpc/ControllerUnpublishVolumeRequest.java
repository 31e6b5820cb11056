package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin to unpublish a volume from a node (CSI {@code ControllerUnpublishVolume}, R65-R68).
 *
 * <p>In CSI a request without a node means <em>all</em> nodes. To build such a request, call {@link #fromAllNodes}
 * (R66).
 */
public final class ControllerUnpublishVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final @Nullable ExternalNodeId nodeId;
    private final Secrets secrets;

    private ControllerUnpublishVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.nodeId = builder.nodeId;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("ControllerUnpublishVolumeRequest");
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder of a request to unpublish a volume from one node.
     *
     * @param volumeId the storage provider's id of the volume
     * @param nodeId the node
     */
    public static Builder builder(ExternalVolumeId volumeId, ExternalNodeId nodeId) {
        return new Builder().volumeId(volumeId).nodeId(nodeId);
    }

    /**
     * Returns a builder of a request to unpublish a volume from all nodes at once (R66).
     *
     * @param volumeId the storage provider's id of the volume
     */
    public static Builder fromAllNodes(ExternalVolumeId volumeId) {
        return new Builder().volumeId(volumeId);
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the node; empty for all nodes. */
    public Optional<ExternalNodeId> nodeId() {
        return Optional.ofNullable(nodeId);
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("nodeId", nodeId);
        fields.add("secrets", secrets);
    }

    /** Builds {@link ControllerUnpublishVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private @Nullable ExternalNodeId nodeId;
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the node. A request without a node means all nodes. */
        public Builder nodeId(ExternalNodeId nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public ControllerUnpublishVolumeRequest build() {
            return new ControllerUnpublishVolumeRequest(this);
        }
    }
}
