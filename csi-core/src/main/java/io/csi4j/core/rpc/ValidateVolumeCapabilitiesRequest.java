package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Asks the plugin whether a volume supports all given capabilities (CSI {@code ValidateVolumeCapabilities}, R69). */
public final class ValidateVolumeCapabilitiesRequest extends CsiRequest {
    private final ExternalVolumeId volumeId;
    private final List<VolumeCapability> volumeCapabilities;
    private final VolumeContext volumeContext;
    private final Map<String, String> parameters;
    private final Secrets secrets;
    private final Map<String, String> mutableParameters;

    private ValidateVolumeCapabilitiesRequest(Builder builder) {
        this.volumeId = builder.volumeId;
        this.volumeCapabilities = List.copyOf(builder.volumeCapabilities);
        this.volumeContext = builder.volumeContext;
        this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        this.secrets = builder.secrets;
        this.mutableParameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.mutableParameters));
        RequestCheck check = new RequestCheck("ValidateVolumeCapabilitiesRequest");
        check.capabilities("volumeCapabilities", volumeCapabilities);
        check.map("parameters", parameters);
        check.secrets(secrets);
        check.map("mutableParameters", mutableParameters);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param volumeId the storage provider's id of the volume
     * @param volumeCapabilities the requested capabilities, at least one
     */
    public static Builder builder(ExternalVolumeId volumeId, List<VolumeCapability> volumeCapabilities) {
        Builder builder = new Builder();
        builder.volumeId(volumeId);
        builder.volumeCapabilities(volumeCapabilities);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.volumeId = volumeId;
        builder.volumeCapabilities = volumeCapabilities;
        builder.volumeContext = volumeContext;
        builder.parameters = parameters;
        builder.secrets = secrets;
        builder.mutableParameters = mutableParameters;
        return builder;
    }

    /** Returns the storage provider's id of the volume. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }

    /** Returns the requested capabilities, at least one. */
    public List<VolumeCapability> volumeCapabilities() {
        return volumeCapabilities;
    }

    /** Returns the volume context that CreateVolume returned (R57). */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    /** Returns the parameters, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /**
     * Returns the parameters that may be changed after the creation; they override {@code parameters} with the same key
     * (R54).
     */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeId", volumeId);
        fields.add("volumeCapabilities", volumeCapabilities);
        fields.add("volumeContext", volumeContext);
        fields.add("parameters", parameters);
        fields.add("secrets", secrets);
        fields.add("mutableParameters", mutableParameters);
    }

    /** Builds {@link ValidateVolumeCapabilitiesRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId volumeId;

        private List<VolumeCapability> volumeCapabilities = List.of();
        private VolumeContext volumeContext = VolumeContext.empty();
        private Map<String, String> parameters = Map.of();
        private Secrets secrets = Secrets.empty();
        private Map<String, String> mutableParameters = Map.of();

        private Builder() {}

        /** Sets the storage provider's id of the volume. */
        public Builder volumeId(ExternalVolumeId volumeId) {
            this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
            return this;
        }

        /** Sets the requested capabilities, at least one. */
        public Builder volumeCapabilities(List<VolumeCapability> volumeCapabilities) {
            this.volumeCapabilities = Objects.requireNonNull(volumeCapabilities, "volumeCapabilities");
            return this;
        }

        /** Sets the volume context that CreateVolume returned (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /** Sets the parameters, which only the plugin interprets. */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = Objects.requireNonNull(parameters, "parameters");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Sets the parameters that may be changed after the creation; they override {@code parameters} with the same
         * key (R54).
         */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = Objects.requireNonNull(mutableParameters, "mutableParameters");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public ValidateVolumeCapabilitiesRequest build() {
            return new ValidateVolumeCapabilitiesRequest(this);
        }
    }
}
