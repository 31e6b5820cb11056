package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeUsage;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Usage at a path (CSI {@code NodeGetVolumeStats}, R92).
 */
public final class NodeGetVolumeStatsResponse extends CsiMessage {
    private final List<VolumeUsage> usage;
    private final @Nullable VolumeCondition volumeCondition;

    private NodeGetVolumeStatsResponse(Builder builder) {
        this.usage = List.copyOf(builder.usage);
        this.volumeCondition = builder.volumeCondition;
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
        builder.usage = usage;
        builder.volumeCondition = volumeCondition;
        return builder;
    }

    /**
     * Usage by unit; may be empty.
     *
     * @return the value, never null
     */
    public List<VolumeUsage> usage() {
        return usage;
    }

    /**
     * The condition; plugins until CSI 1.12 with VOLUME_CONDITION only.
     *
     * @return the value; empty: not given
     */
    public Optional<VolumeCondition> volumeCondition() {
        return Optional.ofNullable(volumeCondition);
    }

    @Override
    void describe(Fields fields) {
        fields.add("usage", usage);
        fields.add("volumeCondition", volumeCondition);
    }

    /** Builds {@link NodeGetVolumeStatsResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<VolumeUsage> usage = List.of();
        private @Nullable VolumeCondition volumeCondition;

        private Builder() {}

        /**
         * Sets: usage by unit; may be empty.
         *
         * @param usage the value
         * @return this
         */
        public Builder usage(List<VolumeUsage> usage) {
            this.usage = Objects.requireNonNull(usage, "usage");
            return this;
        }

        /**
         * Sets: the condition; plugins until CSI 1.12 with VOLUME_CONDITION only.
         *
         * @param volumeCondition the value
         * @return this
         */
        public Builder volumeCondition(VolumeCondition volumeCondition) {
            this.volumeCondition = Objects.requireNonNull(volumeCondition, "volumeCondition");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public NodeGetVolumeStatsResponse build() {
            return new NodeGetVolumeStatsResponse(this);
        }
    }
}
