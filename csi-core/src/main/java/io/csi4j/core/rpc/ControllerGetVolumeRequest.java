package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/** Asks the plugin for one volume with its status (CSI {@code ControllerGetVolume}, alpha, R73). */
public final class ControllerGetVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;

    private ControllerGetVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     */
    public static Builder builder(ExternalVolumeId volumeId) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
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

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Builds the request. */
        public ControllerGetVolumeRequest build() {
            return new ControllerGetVolumeRequest(this);
        }
    }
}
