package io.csi4j.core.rpc;

import io.csi4j.core.csi.StorageBackendHealth;
import java.util.List;
import java.util.Objects;

/**
 * The health of the storage backends as this node sees them (CSI {@code NodeGetStorageHealth}, R104).
 */
public final class NodeGetStorageHealthResponse extends CsiMessage {
    private final List<StorageBackendHealth> backendHealth;

    private NodeGetStorageHealthResponse(Builder builder) {
        this.backendHealth = List.copyOf(builder.backendHealth);
    }

    /**
     * A builder.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.backendHealth = backendHealth;
        return builder;
    }

    /**
     * What is wrong; empty for nothing.
     *
     * @return the value, never null
     */
    public List<StorageBackendHealth> backendHealth() {
        return backendHealth;
    }

    @Override
    void describe(Fields fields) {
        fields.add("backendHealth", backendHealth);
    }

    /** Builds {@link NodeGetStorageHealthResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<StorageBackendHealth> backendHealth = List.of();

        private Builder() {}

        /**
         * Sets: what is wrong; empty for nothing.
         *
         * @param backendHealth the value
         * @return this
         */
        public Builder backendHealth(List<StorageBackendHealth> backendHealth) {
            this.backendHealth = Objects.requireNonNull(backendHealth, "backendHealth");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public NodeGetStorageHealthResponse build() {
            return new NodeGetStorageHealthResponse(this);
        }
    }
}
