package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the plugin confirms (CSI {@code ValidateVolumeCapabilities}, R69).
 *
 * <p>A caller has to compare what is confirmed with what it asked: older plugins pass over fields
 * they do not know.
 */
public final class ValidateVolumeCapabilitiesResponse extends CsiMessage {
    private final @Nullable Confirmed confirmed;
    private final String message;

    private ValidateVolumeCapabilitiesResponse(Builder builder) {
        this.confirmed = builder.confirmed;
        this.message = builder.message;
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
        builder.confirmed = confirmed;
        builder.message = message;
        return builder;
    }

    /**
     * Given only when everything asked for is supported.
     *
     * @return the value; empty: not given
     */
    public Optional<Confirmed> confirmed() {
        return Optional.ofNullable(confirmed);
    }

    /**
     * Why not, for people; often empty.
     *
     * @return the value, never null
     */
    public String message() {
        return message;
    }

    /**
     * What a plugin confirmed. Fields it does not know stay empty.
     *
     * @param volumeContext the context it confirmed
     * @param volumeCapabilities the capabilities it confirmed
     * @param parameters the parameters it confirmed
     * @param mutableParameters the mutable parameters it confirmed
     */
    public record Confirmed(
            VolumeContext volumeContext,
            List<VolumeCapability> volumeCapabilities,
            Map<String, String> parameters,
            Map<String, String> mutableParameters) {
        /** Copies the collections. */
        public Confirmed {
            Objects.requireNonNull(volumeContext, "volumeContext");
            volumeCapabilities = List.copyOf(volumeCapabilities);
            parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
            mutableParameters = Collections.unmodifiableMap(new LinkedHashMap<>(mutableParameters));
        }
    }

    @Override
    void describe(Fields fields) {
        fields.add("confirmed", confirmed);
        fields.add("message", message);
    }

    /** Builds {@link ValidateVolumeCapabilitiesResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable Confirmed confirmed;
        private String message = "";

        private Builder() {}

        /**
         * Sets: given only when everything asked for is supported.
         *
         * @param confirmed the value
         * @return this
         */
        public Builder confirmed(Confirmed confirmed) {
            this.confirmed = Objects.requireNonNull(confirmed, "confirmed");
            return this;
        }

        /**
         * Sets: why not, for people; often empty.
         *
         * @param message the value
         * @return this
         */
        public Builder message(String message) {
            this.message = Objects.requireNonNull(message, "message");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ValidateVolumeCapabilitiesResponse build() {
            return new ValidateVolumeCapabilitiesResponse(this);
        }
    }
}
