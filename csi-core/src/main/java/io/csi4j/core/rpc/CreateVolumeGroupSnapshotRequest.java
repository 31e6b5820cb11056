package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Asks the plugin to create snapshots of several volumes at the same time (CSI {@code CreateVolumeGroupSnapshot},
 * R97-R99).
 */
public final class CreateVolumeGroupSnapshotRequest extends CsiRequest {
    private final String name;
    private final List<ExternalVolumeId> sourceVolumeIds;
    private final Secrets secrets;
    private final Map<String, String> parameters;

    private CreateVolumeGroupSnapshotRequest(Builder builder) {
        this.name = builder.name;
        this.sourceVolumeIds = List.copyOf(builder.sourceVolumeIds);
        this.secrets = builder.secrets;
        this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(builder.parameters));
        RequestCheck check = new RequestCheck("CreateVolumeGroupSnapshotRequest");
        check.name("name", name);
        check.notEmpty("sourceVolumeIds", sourceVolumeIds);
        check.secrets(secrets);
        check.map("parameters", parameters);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param name the caller's name for the group; another request with the same name returns the same group (R21, R97)
     * @param sourceVolumeIds the source volumes, at least one
     */
    public static Builder builder(String name, List<ExternalVolumeId> sourceVolumeIds) {
        Builder builder = new Builder();
        builder.name(name);
        builder.sourceVolumeIds(sourceVolumeIds);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.name = name;
        builder.sourceVolumeIds = sourceVolumeIds;
        builder.secrets = secrets;
        builder.parameters = parameters;
        return builder;
    }

    /**
     * Returns the caller's name for the group; another request with the same name returns the same group (R21, R97).
     */
    public String name() {
        return name;
    }

    /** Returns the source volumes, at least one. */
    public List<ExternalVolumeId> sourceVolumeIds() {
        return sourceVolumeIds;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the parameters, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    @Override
    void describe(Fields fields) {
        fields.add("name", name);
        fields.add("sourceVolumeIds", sourceVolumeIds);
        fields.add("secrets", secrets);
        fields.add("parameters", parameters);
    }

    /** Builds {@link CreateVolumeGroupSnapshotRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private String name = "";
        private List<ExternalVolumeId> sourceVolumeIds = List.of();
        private Secrets secrets = Secrets.empty();
        private Map<String, String> parameters = Map.of();

        private Builder() {}

        /**
         * Sets the caller's name for the group; another request with the same name returns the same group (R21, R97).
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Sets the source volumes, at least one. */
        public Builder sourceVolumeIds(List<ExternalVolumeId> sourceVolumeIds) {
            this.sourceVolumeIds = Objects.requireNonNull(sourceVolumeIds, "sourceVolumeIds");
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
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public CreateVolumeGroupSnapshotRequest build() {
            return new CreateVolumeGroupSnapshotRequest(this);
        }
    }
}
