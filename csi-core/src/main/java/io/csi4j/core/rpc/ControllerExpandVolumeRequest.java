package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to grow the backing volume (CSI {@code ControllerExpandVolume}, R82-R84).
 */
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param capacityRange how large it has to be
     */
    public static Builder builder(ExternalVolumeId volumeId, CapacityRange capacityRange) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.capacityRange(capacityRange);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** How large it has to be. */
    public CapacityRange capacityRange() {
        return capacityRange;
    }

    /** What authenticates the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** How the volume is used. */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: how large it has to be. */
        public Builder capacityRange(CapacityRange capacityRange) {
            this.capacityRange = Objects.requireNonNull(capacityRange, "capacityRange");
            return this;
        }

        /** Sets: what authenticates the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets: how the volume is used. */
        public Builder volumeCapability(VolumeCapability volumeCapability) {
            this.volumeCapability = Objects.requireNonNull(volumeCapability, "volumeCapability");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public ControllerExpandVolumeRequest build() {
            return new ControllerExpandVolumeRequest(this);
        }
    }
}
