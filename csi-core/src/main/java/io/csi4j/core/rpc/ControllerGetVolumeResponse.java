package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.VolumeStatus;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One volume with its status (CSI {@code ControllerGetVolume}, alpha).
 */
public final class ControllerGetVolumeResponse extends CsiMessage {
    private final ExternalVolume volume;
    private final @Nullable VolumeStatus status;

    private ControllerGetVolumeResponse(Builder builder) {
        this.volume = builder.volume;
        this.status = builder.status;
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
        builder.status = status;
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

    /**
     * Where it is published, and its condition.
     *
     * @return the value; empty: not given
     */
    public Optional<VolumeStatus> status() {
        return Optional.ofNullable(status);
    }

    @Override
    void describe(Fields fields) {
        fields.add("volume", volume);
        fields.add("status", status);
    }

    /** Builds {@link ControllerGetVolumeResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalVolume volume;

        private @Nullable VolumeStatus status;

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
         * Sets: where it is published, and its condition.
         *
         * @param status the value
         * @return this
         */
        public Builder status(VolumeStatus status) {
            this.status = Objects.requireNonNull(status, "status");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ControllerGetVolumeResponse build() {
            return new ControllerGetVolumeResponse(this);
        }
    }
}
