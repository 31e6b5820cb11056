package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Asks to change mutable parameters in place (CSI {@code ControllerModifyVolume}, R74).
 */
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
     * A builder with what is required.
     *
     * @param volumeId the volume, by the provider's id
     * @param mutableParameters the parameters to change; others stay as they are
     */
    public static Builder builder(ExternalVolumeId volumeId, Map<String, String> mutableParameters) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.mutableParameters(mutableParameters);
        return builder;
    }

    /** The volume, by the provider's id. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** The parameters to change; others stay as they are. */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    /** What authenticates the call (R35). */
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

        /** Sets: the volume, by the provider's id. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets: the parameters to change; others stay as they are. */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = Objects.requireNonNull(mutableParameters, "mutableParameters");
            return this;
        }

        /** Sets: what authenticates the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public ControllerModifyVolumeRequest build() {
            return new ControllerModifyVolumeRequest(this);
        }
    }
}
