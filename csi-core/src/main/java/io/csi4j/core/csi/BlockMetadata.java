package io.csi4j.core.csi;

/**
 * One range of a snapshot (R101).
 *
 * @param byteOffset where it begins
 * @param sizeBytes how long it is
 */
public record BlockMetadata(long byteOffset, long sizeBytes) {
    /**
     * The first byte behind this range: where a broken stream is resumed (R102).
     *
     * @return offset plus size
     */
    public long endOffset() {
        return byteOffset + sizeBytes;
    }
}
