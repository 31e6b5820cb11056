package io.csi4j.client.internal.codec;

/** Encodes and decodes capacity ranges and sizes. */
final class CapacityCodec {
    private CapacityCodec() {}

    static io.csi4j.proto.csi.v1.CapacityRange write(io.csi4j.core.csi.CapacityRange range) {
        return io.csi4j.proto.csi.v1.CapacityRange.newBuilder()
                .setRequiredBytes(range.requiredBytes())
                .setLimitBytes(range.limitBytes())
                .build();
    }
}
