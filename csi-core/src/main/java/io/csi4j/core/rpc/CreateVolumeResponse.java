package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import java.util.Objects;

/**
 * The volume that was made, or had been made by the same request (CSI {@code CreateVolume}, R57).
 */
public final class CreateVolumeResponse extends CsiMessage {
    private final ExternalVolume volume;

    private CreateVolumeResponse(Builder builder) {
        this.volume = builder.volume;
    }

    /**
     * A builder with what is required.
     *
     * @param volume the volume
     * @return a new builder
     */
    public static Builder builder(ExternalVolume volume) {
        Builder builder = new Builder();
        builder.volume(volume);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.volume = volume;
        return builder;
    }

    /**
     * The volume.
     *
     * @return the value, never null
     */
    public ExternalVolume volume() {
        return volume;
    }

    @Override
    void describe(Fields fields) {
        fields.add("volume", volume);
    }

    /** Builds {@link CreateVolumeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolume volume;

        private Builder() {}

        /**
         * Sets: the volume.
         *
         * @param volume the value
         * @return this
         */
        public Builder volume(ExternalVolume volume) {
            this.volume = Objects.requireNonNull(volume, "volume");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public CreateVolumeResponse build() {
            return new CreateVolumeResponse(this);
        }
    }
}
