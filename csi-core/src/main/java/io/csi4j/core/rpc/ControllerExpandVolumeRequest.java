package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks the plugin to expand a volume at the storage provider (CSI {@code ControllerExpandVolume}, R82-R84). */
public final class ControllerExpandVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final CapacityRange capacityRange;
    private final Secrets secrets;
    private final @Nullable VolumeCapability volumeCapability;

    private ControllerExpandVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.capacityRange = builder.capacityRange;
        this.secrets = builder.secrets;
        this.volumeCapability = builder.volumeCapability;
        RequestCheck check = new RequestCheck("ControllerExpandVolumeRequest");
        check.secrets(secrets);
        check.optionalCapability("volumeCapability", volumeCapability);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param capacityRange the requested size
     */
    public static Builder builder(ExternalVolumeId volumeId, CapacityRange capacityRange) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.capacityRange(capacityRange);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the requested size. */
    public CapacityRange capacityRange() {
        return capacityRange;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the capability with which the volume is used now. */
    public Optional<VolumeCapability> volumeCapability() {
        return Optional.ofNullable(volumeCapability);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("capacityRange", capacityRange);
        fields.add("secrets", secrets);
        fields.add("volumeCapability", volumeCapability);
    }

    /** Builds {@link ControllerExpandVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private CapacityRange capacityRange;

        private Secrets secrets = Secrets.empty();
        private @Nullable VolumeCapability volumeCapability;

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the requested size. */
        public Builder capacityRange(CapacityRange capacityRange) {
            this.capacityRange = Objects.requireNonNull(capacityRange, "capacityRange");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets the capability with which the volume is used now. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public ControllerExpandVolumeRequest build() {
            return new ControllerExpandVolumeRequest(this);
        }
    }
}
