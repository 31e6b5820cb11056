package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * Asks the plugin to delete a volume (CSI {@code DeleteVolume}, R59, R60). The call succeeds if the volume does not
 * exist.
 */
public final class DeleteVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final Secrets secrets;

    private DeleteVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("DeleteVolumeRequest");
        check.secrets(secrets);
        check.done();
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

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("secrets", secrets);
    }

    /** Builds {@link DeleteVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
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
        public DeleteVolumeRequest build() {
            return new DeleteVolumeRequest(this);
        }
    }
}
