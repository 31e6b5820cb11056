package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * Asks for one volume with its status (CSI {@code ControllerGetVolume}, alpha, R73).
 */
public final class ControllerGetVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;

    private ControllerGetVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
    }

    /**
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     */
    public static Builder builder(ExternalVolumeId volumeId) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
    }

    /** Builds {@link ControllerGetVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private Builder() {}

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** The value built so far. */
        public ControllerGetVolumeRequest build() {
            return new ControllerGetVolumeRequest(this);
        }
    }
}
