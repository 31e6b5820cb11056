package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin to expand the file system or device on the node, after the volume was expanded at the storage
 * provider (CSI {@code NodeExpandVolume}, R94, R95).
 */
public final class NodeExpandVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final String volumePath;
    private final @Nullable CapacityRange capacityRange;
    private final @Nullable String stagingTargetPath;
    private final @Nullable VolumeCapability volumeCapability;
    private final Secrets secrets;

    private NodeExpandVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.volumePath = builder.volumePath;
        this.capacityRange = builder.capacityRange;
        this.stagingTargetPath = builder.stagingTargetPath;
        this.volumeCapability = builder.volumeCapability;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("NodeExpandVolumeRequest");
        check.path("volumePath", volumePath);
        check.optionalPath("stagingTargetPath", stagingTargetPath);
        check.optionalCapability("volumeCapability", volumeCapability);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param volumePath a path at which the volume is published or staged
     */
    public static Builder builder(ExternalVolumeId volumeId, String volumePath) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.volumePath(volumePath);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns a path at which the volume is published or staged. */
    public String volumePath() {
        return volumePath;
    }

    /** Returns the requested size. */
    public Optional<CapacityRange> capacityRange() {
        return Optional.ofNullable(capacityRange);
    }

    /** Returns the staging path; empty if the volume is not staged. */
    public Optional<String> stagingTargetPath() {
        return Optional.ofNullable(stagingTargetPath);
    }

    /**
     * Returns the capability with which the volume is used now, so that the plugin can distinguish a block device from
     * a mount (R94).
     */
    public Optional<VolumeCapability> volumeCapability() {
        return Optional.ofNullable(volumeCapability);
    }

    /** Returns the secrets of the call. This field is alpha in CSI. */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("volumePath", volumePath);
        fields.add("capacityRange", capacityRange);
        fields.add("stagingTargetPath", stagingTargetPath);
        fields.add("volumeCapability", volumeCapability);
        fields.add("secrets", secrets);
    }

    /** Builds {@link NodeExpandVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private String volumePath = "";
        private @Nullable CapacityRange capacityRange;
        private @Nullable String stagingTargetPath;
        private @Nullable VolumeCapability volumeCapability;
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets a path at which the volume is published or staged. */
        public Builder volumePath(String volumePath) {
            this.volumePath = Objects.requireNonNull(volumePath, "volumePath");
            return this;
        }

        /** Sets the requested size. */
        public Builder capacityRange(CapacityRange capacityRange) {
            this.capacityRange = Objects.requireNonNull(capacityRange, "capacityRange");
            return this;
        }

        /** Sets the staging path; empty if the volume is not staged. */
        public Builder stagingTargetPath(String stagingTargetPath) {
            this.stagingTargetPath = Objects.requireNonNull(stagingTargetPath, "stagingTargetPath");
            return this;
        }

        /**
         * Sets the capability with which the volume is used now, so that the plugin can distinguish a block device from
         * a mount (R94).
         */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /** Sets the secrets of the call. This field is alpha in CSI. */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public NodeExpandVolumeRequest build() {
            return new NodeExpandVolumeRequest(this);
        }
    }
}
