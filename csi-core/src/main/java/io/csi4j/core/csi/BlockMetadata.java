package io.csi4j.core.csi;

/**
 * One range of bytes in a snapshot (R101).
 *
 * @param byteOffset the offset of the first byte
 * @param sizeBytes the length in bytes
 */
public record BlockMetadata(long byteOffset, long sizeBytes) {
    /** Returns the offset after the last byte of this range, where a broken stream resumes (R102). */
    public long endOffset() {
        return byteOffset + sizeBytes;
    }
}
