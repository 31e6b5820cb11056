package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin to create a volume (CSI {@code CreateVolume}, R51-R58). Another request with the same name returns
 * the same volume.
 *
 * <p>If the response is lost, the caller has to send the same request again to learn the outcome. So the caller has to
 * store the name before the first call (R56).
 */
public final class CreateVolumeRequest extends CsiRequest {
    private final String name;
    private final List<VolumeCapability> volumeCapabilities;
    private final @Nullable CapacityRange capacityRange;
    private final Map<String, String> parameters;
    private final Secrets secrets;
    private final @Nullable VolumeContentSource volumeContentSource;
    private final @Nullable TopologyRequirement accessibilityRequirements;
    private final Map<String, String> mutableParameters;

    private CreateVolumeRequest(Builder builder) {
        this.name = builder.name;
        this.volumeCapabilities = List.copyOf(builder.volumeCapabilities);
        this.capacityRange = builder.capacityRange;
        this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        this.secrets = builder.secrets;
        this.volumeContentSource = builder.volumeContentSource;
        this.accessibilityRequirements = builder.accessibilityRequirements;
        this.mutableParameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.mutableParameters));
        RequestCheck check = new RequestCheck("CreateVolumeRequest");
        check.name("name", name);
        check.capabilities("volumeCapabilities", volumeCapabilities);
        check.map("parameters", parameters);
        check.secrets(secrets);
        check.topology("accessibilityRequirements", accessibilityRequirements);
        check.map("mutableParameters", mutableParameters);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param name the caller's name for the volume; another request with the same name returns the same volume (R21,
     *     R51)
     * @param volumeCapabilities the capabilities that the volume must support, at least one (R52)
     */
    public static Builder builder(String name, List<VolumeCapability> volumeCapabilities) {
        Builder builder = new Builder();
        builder.name(name);
        builder.volumeCapabilities(volumeCapabilities);
        return builder;
    }

    /**
     * Returns the caller's name for the volume; another request with the same name returns the same volume (R21, R51).
     */
    public String name() {
        return name;
    }

    /** Returns the capabilities that the volume must support, at least one (R52). */
    public List<VolumeCapability> volumeCapabilities() {
        return volumeCapabilities;
    }

    /** Returns the requested size. */
    public Optional<CapacityRange> capacityRange() {
        return Optional.ofNullable(capacityRange);
    }

    /** Returns the parameters, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the source of the volume's content. */
    public Optional<VolumeContentSource> volumeContentSource() {
        return Optional.ofNullable(volumeContentSource);
    }

    /**
     * Returns the topologies from which the volume has to be accessible (R53). Only plugins with the capability
     * VOLUME_ACCESSIBILITY_CONSTRAINTS support this field.
     */
    public Optional<TopologyRequirement> accessibilityRequirements() {
        return Optional.ofNullable(accessibilityRequirements);
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
        fields.add("name", name);
        fields.add("volumeCapabilities", volumeCapabilities);
        fields.add("capacityRange", capacityRange);
        fields.add("parameters", parameters);
        fields.add("secrets", secrets);
        fields.add("volumeContentSource", volumeContentSource);
        fields.add("accessibilityRequirements", accessibilityRequirements);
        fields.add("mutableParameters", mutableParameters);
    }

    /** Builds {@link CreateVolumeRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private String name = "";
        private List<VolumeCapability> volumeCapabilities = List.of();
        private @Nullable CapacityRange capacityRange;
        private Map<String, String> parameters = Map.of();
        private Secrets secrets = Secrets.empty();
        private @Nullable VolumeContentSource volumeContentSource;
        private @Nullable TopologyRequirement accessibilityRequirements;
        private Map<String, String> mutableParameters = Map.of();

        private Builder() {}

        /**
         * Sets the caller's name for the volume; another request with the same name returns the same volume (R21, R51).
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Sets the capabilities that the volume must support, at least one (R52). */
        public Builder volumeCapabilities(List<VolumeCapability> volumeCapabilities) {
            this.volumeCapabilities = Objects.requireNonNull(volumeCapabilities, "volumeCapabilities");
            return this;
        }

        /** Sets the requested size. */
        public Builder capacityRange(CapacityRange capacityRange) {
            this.capacityRange = Objects.requireNonNull(capacityRange, "capacityRange");
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

        /** Sets the source of the volume's content. */
        public Builder volumeContentSource(VolumeContentSource volumeContentSource) {
            this.volumeContentSource = Objects.requireNonNull(volumeContentSource, "volumeContentSource");
            return this;
        }

        /**
         * Sets the topologies from which the volume has to be accessible (R53). Only plugins with the capability
         * VOLUME_ACCESSIBILITY_CONSTRAINTS support this field.
         */
        public Builder accessibilityRequirements(TopologyRequirement accessibilityRequirements) {
            this.accessibilityRequirements =
                    Objects.requireNonNull(accessibilityRequirements, "accessibilityRequirements");
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
        public CreateVolumeRequest build() {
            return new CreateVolumeRequest(this);
        }
    }
}
