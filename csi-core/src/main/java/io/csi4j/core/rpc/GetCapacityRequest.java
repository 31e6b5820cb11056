package io.csi4j.core.rpc;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks the plugin how much capacity is free for new volumes (CSI {@code GetCapacity}, R75). */
public final class GetCapacityRequest extends CsiRequest {
    private final List<VolumeCapability> volumeCapabilities;
    private final Map<String, String> parameters;
    private final @Nullable Topology accessibleTopology;

    private GetCapacityRequest(Builder builder) {
        this.volumeCapabilities = List.copyOf(builder.volumeCapabilities);
        this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        this.accessibleTopology = builder.accessibleTopology;
        RequestCheck check = new RequestCheck("GetCapacityRequest");
        check.someCapabilities("volumeCapabilities", volumeCapabilities);
        check.map("parameters", parameters);
        check.topology("accessibleTopology", accessibleTopology);
        check.done();
    }

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the capabilities that the new volumes need; may be empty. */
    public List<VolumeCapability> volumeCapabilities() {
        return volumeCapabilities;
    }

    /** Returns the parameters, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /**
     * Returns the topology from which the capacity must be accessible. Only plugins with the capability
     * VOLUME_ACCESSIBILITY_CONSTRAINTS support this field.
     */
    public Optional<Topology> accessibleTopology() {
        return Optional.ofNullable(accessibleTopology);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeCapabilities", volumeCapabilities);
        fields.add("parameters", parameters);
        fields.add("accessibleTopology", accessibleTopology);
    }

    /** Builds {@link GetCapacityRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<VolumeCapability> volumeCapabilities = List.of();
        private Map<String, String> parameters = Map.of();
        private @Nullable Topology accessibleTopology;

        private Builder() {}

        /** Sets the capabilities that the new volumes need; may be empty. */
        public Builder volumeCapabilities(List<VolumeCapability> volumeCapabilities) {
            this.volumeCapabilities = Objects.requireNonNull(volumeCapabilities, "volumeCapabilities");
            return this;
        }

        /** Sets the parameters, which only the plugin interprets. */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = Objects.requireNonNull(parameters, "parameters");
            return this;
        }

        /**
         * Sets the topology from which the capacity must be accessible. Only plugins with the capability
         * VOLUME_ACCESSIBILITY_CONSTRAINTS support this field.
         */
        public Builder accessibleTopology(Topology accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public GetCapacityRequest build() {
            return new GetCapacityRequest(this);
        }
    }
}
