package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin to create a snapshot (CSI {@code CreateSnapshot}, R76-R79). Another request with the same name
 * returns the same snapshot.
 *
 * <p>If the snapshot in the response is not ready to use, send the same request again from time to time (R77).
 */
public final class CreateSnapshotRequest extends CsiRequest {
    private final ExternalVolumeId sourceVolumeId;
    private final String name;
    private final Secrets secrets;
    private final Map<String, String> parameters;
    private final @Nullable TopologyRequirement accessibilityRequirements;

    private CreateSnapshotRequest(Builder builder) {
        this.sourceVolumeId = builder.sourceVolumeId;
        this.name = builder.name;
        this.secrets = builder.secrets;
        this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        this.accessibilityRequirements = builder.accessibilityRequirements;
        RequestCheck check = new RequestCheck("CreateSnapshotRequest");
        check.name("name", name);
        check.secrets(secrets);
        check.map("parameters", parameters);
        check.topology("accessibilityRequirements", accessibilityRequirements);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param sourceVolumeId the source volume
     * @param name the caller's name for the snapshot; another request with the same name returns the same snapshot
     *     (R21, R76)
     */
    public static Builder builder(ExternalVolumeId sourceVolumeId, String name) {
        Builder builder = new Builder();
        builder.sourceVolumeId(sourceVolumeId);
        builder.name(name);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.sourceVolumeId = sourceVolumeId;
        builder.name = name;
        builder.secrets = secrets;
        builder.parameters = parameters;
        builder.accessibilityRequirements = accessibilityRequirements;
        return builder;
    }

    /** Returns the source volume. */
    public ExternalVolumeId sourceVolumeId() {
        return sourceVolumeId;
    }

    /**
     * Returns the caller's name for the snapshot; another request with the same name returns the same snapshot (R21,
     * R76).
     */
    public String name() {
        return name;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the parameters, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /**
     * Returns the topologies from which the snapshot has to be accessible. The field exists since CSI 1.13. Only
     * plugins with the capability SNAPSHOT_ACCESSIBILITY_CONSTRAINTS support it.
     */
    public Optional<TopologyRequirement> accessibilityRequirements() {
        return Optional.ofNullable(accessibilityRequirements);
    }

    @Override
    void describe(Fields fields) {
        fields.add("sourceVolumeId", sourceVolumeId);
        fields.add("name", name);
        fields.add("secrets", secrets);
        fields.add("parameters", parameters);
        fields.add("accessibilityRequirements", accessibilityRequirements);
    }

    /** Builds {@link CreateSnapshotRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolumeId sourceVolumeId;

        private String name = "";
        private Secrets secrets = Secrets.empty();
        private Map<String, String> parameters = Map.of();
        private @Nullable TopologyRequirement accessibilityRequirements;

        private Builder() {}

        /** Sets the source volume. */
        public Builder sourceVolumeId(ExternalVolumeId sourceVolumeId) {
            this.sourceVolumeId = Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
            return this;
        }

        /**
         * Sets the caller's name for the snapshot; another request with the same name returns the same snapshot (R21,
         * R76).
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets the parameters, which only the plugin interprets. */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = Objects.requireNonNull(parameters, "parameters");
            return this;
        }

        /**
         * Sets the topologies from which the snapshot has to be accessible. The field exists since CSI 1.13. Only
         * plugins with the capability SNAPSHOT_ACCESSIBILITY_CONSTRAINTS support it.
         */
        public Builder accessibilityRequirements(TopologyRequirement accessibilityRequirements) {
            this.accessibilityRequirements =
                    Objects.requireNonNull(accessibilityRequirements, "accessibilityRequirements");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public CreateSnapshotRequest build() {
            return new CreateSnapshotRequest(this);
        }
    }
}
