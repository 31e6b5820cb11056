package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of one volume (CSI {@code ControllerGetVolumeHealth}, R104).
 */
public final class ControllerGetVolumeHealthResponse extends CsiMessage {
    private final @Nullable VolumeHealth volumeHealth;

    private ControllerGetVolumeHealthResponse(Builder builder) {
        this.volumeHealth = builder.volumeHealth;
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
        builder.volumeHealth = volumeHealth;
        return builder;
    }

    /**
     * What is wrong; no entries for healthy.
     *
     * @return the value; empty: not given
     */
    public Optional<VolumeHealth> volumeHealth() {
        return Optional.ofNullable(volumeHealth);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volumeHealth", volumeHealth);
    }

    /** Builds {@link ControllerGetVolumeHealthResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable VolumeHealth volumeHealth;

        private Builder() {}

        /**
         * Sets: what is wrong; no entries for healthy.
         *
         * @param volumeHealth the value
         * @return this
         */
        public Builder volumeHealth(VolumeHealth volumeHealth) {
            this.volumeHealth = Objects.requireNonNull(volumeHealth, "volumeHealth");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ControllerGetVolumeHealthResponse build() {
            return new ControllerGetVolumeHealthResponse(this);
        }
    }
}
