package io.csi4j.core.rpc;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import java.util.List;
import java.util.Objects;

/**
 * One message of the stream of ranges that differ (CSI {@code GetMetadataDelta}, R101).
 */
public final class GetMetadataDeltaResponse extends CsiMessage {
    private final BlockMetadataType blockMetadataType;
    private final long volumeCapacityBytes;
    private final List<BlockMetadata> blockMetadata;

    private GetMetadataDeltaResponse(Builder builder) {
        this.blockMetadataType = builder.blockMetadataType;
        this.volumeCapacityBytes = builder.volumeCapacityBytes;
        this.blockMetadata = List.copyOf(builder.blockMetadata);
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
        builder.blockMetadataType = blockMetadataType;
        builder.volumeCapacityBytes = volumeCapacityBytes;
        builder.blockMetadata = blockMetadata;
        return builder;
    }

    /**
     * How ranges are cut; the same in all messages of a stream.
     *
     * @return the value, never null
     */
    public BlockMetadataType blockMetadataType() {
        return blockMetadataType;
    }

    /**
     * The size of the volume in bytes; the same in all messages of a stream.
     *
     * @return the value
     */
    public long volumeCapacityBytes() {
        return volumeCapacityBytes;
    }

    /**
     * The ranges, ascending and without overlap.
     *
     * @return the value, never null
     */
    public List<BlockMetadata> blockMetadata() {
        return blockMetadata;
    }

    @Override
    void describe(Fields fields) {
        fields.add("blockMetadataType", blockMetadataType);
        fields.add("volumeCapacityBytes", volumeCapacityBytes);
        fields.add("blockMetadata", blockMetadata);
    }

    /** Builds {@link GetMetadataDeltaResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private BlockMetadataType blockMetadataType = BlockMetadataType.UNKNOWN;
        private long volumeCapacityBytes;
        private List<BlockMetadata> blockMetadata = List.of();

        private Builder() {}

        /**
         * Sets: how ranges are cut; the same in all messages of a stream.
         *
         * @param blockMetadataType the value
         * @return this
         */
        public Builder blockMetadataType(BlockMetadataType blockMetadataType) {
            this.blockMetadataType = Objects.requireNonNull(blockMetadataType, "blockMetadataType");
            return this;
        }

        /**
         * Sets: the size of the volume in bytes; the same in all messages of a stream.
         *
         * @param volumeCapacityBytes the value
         * @return this
         */
        public Builder volumeCapacityBytes(long volumeCapacityBytes) {
            this.volumeCapacityBytes = volumeCapacityBytes;
            return this;
        }

        /**
         * Sets: the ranges, ascending and without overlap.
         *
         * @param blockMetadata the value
         * @return this
         */
        public Builder blockMetadata(List<BlockMetadata> blockMetadata) {
            this.blockMetadata = Objects.requireNonNull(blockMetadata, "blockMetadata");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetMetadataDeltaResponse build() {
            return new GetMetadataDeltaResponse(this);
        }
    }
}
