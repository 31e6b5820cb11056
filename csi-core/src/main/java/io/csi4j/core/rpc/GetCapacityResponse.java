package io.csi4j.core.rpc;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Room for new volumes (CSI {@code GetCapacity}, R75).
 */
public final class GetCapacityResponse extends CsiMessage {
    private final long availableCapacity;
    private final @Nullable Long maximumVolumeSize;
    private final @Nullable Long minimumVolumeSize;

    private GetCapacityResponse(Builder builder) {
        this.availableCapacity = builder.availableCapacity;
        this.maximumVolumeSize = builder.maximumVolumeSize;
        this.minimumVolumeSize = builder.minimumVolumeSize;
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
        builder.availableCapacity = availableCapacity;
        builder.maximumVolumeSize = maximumVolumeSize;
        builder.minimumVolumeSize = minimumVolumeSize;
        return builder;
    }

    /**
     * Bytes that are left.
     *
     * @return the value
     */
    public long availableCapacity() {
        return availableCapacity;
    }

    /**
     * The largest volume that can be made, in bytes.
     *
     * @return the value; empty: not given
     */
    public Optional<Long> maximumVolumeSize() {
        return Optional.ofNullable(maximumVolumeSize);
    }

    /**
     * The smallest volume that can be made, in bytes; alpha.
     *
     * @return the value; empty: not given
     */
    public Optional<Long> minimumVolumeSize() {
        return Optional.ofNullable(minimumVolumeSize);
    }

    @Override
    void describe(Fields fields) {
        fields.add("availableCapacity", availableCapacity);
        fields.add("maximumVolumeSize", maximumVolumeSize);
        fields.add("minimumVolumeSize", minimumVolumeSize);
    }

    /** Builds {@link GetCapacityResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private long availableCapacity;
        private @Nullable Long maximumVolumeSize;
        private @Nullable Long minimumVolumeSize;

        private Builder() {}

        /**
         * Sets: bytes that are left.
         *
         * @param availableCapacity the value
         * @return this
         */
        public Builder availableCapacity(long availableCapacity) {
            this.availableCapacity = availableCapacity;
            return this;
        }

        /**
         * Sets: the largest volume that can be made, in bytes.
         *
         * @param maximumVolumeSize the value
         * @return this
         */
        public Builder maximumVolumeSize(Long maximumVolumeSize) {
            this.maximumVolumeSize = Objects.requireNonNull(maximumVolumeSize, "maximumVolumeSize");
            return this;
        }

        /**
         * Sets: the smallest volume that can be made, in bytes; alpha.
         *
         * @param minimumVolumeSize the value
         * @return this
         */
        public Builder minimumVolumeSize(Long minimumVolumeSize) {
            this.minimumVolumeSize = Objects.requireNonNull(minimumVolumeSize, "minimumVolumeSize");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetCapacityResponse build() {
            return new GetCapacityResponse(this);
        }
    }
}
