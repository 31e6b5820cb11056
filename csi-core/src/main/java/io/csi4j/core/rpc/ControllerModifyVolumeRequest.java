package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Asks the plugin to change mutable parameters of an existing volume (CSI {@code ControllerModifyVolume}, R74). */
public final class ControllerModifyVolumeRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final Map<String, String> mutableParameters;
    private final Secrets secrets;

    private ControllerModifyVolumeRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.mutableParameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.mutableParameters));
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("ControllerModifyVolumeRequest");
        check.notEmpty("mutableParameters", mutableParameters.keySet());
        check.map("mutableParameters", mutableParameters);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param mutableParameters the parameters to change; all others keep their values
     */
    public static Builder builder(ExternalVolumeId volumeId, Map<String, String> mutableParameters) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.mutableParameters(mutableParameters);
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the parameters to change; the others keep their values. */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("mutableParameters", mutableParameters);
        fields.add("secrets", secrets);
    }

    /** Builds {@link ControllerModifyVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...)
        private ExternalVolumeId volumeId;

        private Map<String, String> mutableParameters = Map.of();
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the parameters to change; the others keep their values. */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = Objects.requireNonNull(mutableParameters, "mutableParameters");
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
        public ControllerModifyVolumeRequest build() {
            return new ControllerModifyVolumeRequest(this);
        }
    }
}
