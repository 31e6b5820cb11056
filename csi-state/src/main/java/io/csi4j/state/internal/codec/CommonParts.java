package io.csi4j.state.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the encoded message of a row into the row's own fields and the fields that many rows have in common. The values of the common
 * fields are cached by their bytes, so that equal bytes are decoded once and rows refer to the same object. The cache has a fixed size; a
 * collision replaces the cached value. Used by one thread.
 *
 * @param <T> the type of the common fields
 */
final class CommonParts<T> {
    private final long ownFields;
    private final Reader<T> reader;
    private final int slotBits;
    private final byte[][] known;
    private final @Nullable Object[] values;
    private byte[] common = new byte[512];
    private byte[] own = new byte[512];
    private int commonLength;
    private int ownLength;

    /**
     * Creates a reader.
     *
     * @param slotBits the binary logarithm of the size of the cache, at least 1
     * @param ownFields the numbers of the fields that differ from row to row, below 64
     */
    CommonParts(int slotBits, Reader<T> reader, int... ownFields) {
        this.slotBits = slotBits;
        this.known = new byte[1 << slotBits][];
        this.values = new @Nullable Object[1 << slotBits];
        this.reader = reader;
        this.ownFields =
                Arrays.stream(ownFields).mapToLong(field -> 1L << field).reduce(0, (a, b) -> a | b);
    }

    /** Returns the value of the common fields of a message. The row's own fields can be read afterwards with {@link #own}. */
    @SuppressWarnings("unchecked")
    T read(ByteString message) throws IOException {
        split(message);
        int hash = 1;
        for (int i = 0; i < commonLength; i++) {
            hash = 31 * hash + common[i];
        }
        int slot = (hash * 0x9E3779B9) >>> (Integer.SIZE - slotBits);
        byte[] there = known[slot];
        Object value = values[slot];
        if (there != null && value != null && Arrays.equals(there, 0, there.length, common, 0, commonLength)) {
            return (T) value;
        }
        T read = reader.read(CodedInputStream.newInstance(common, 0, commonLength));
        known[slot] = Arrays.copyOf(common, commonLength);
        values[slot] = read;
        return read;
    }

    /** Returns whether the message that was read last has fields of its own, besides the common fields. */
    boolean hasOwn() {
        return ownLength > 0;
    }

    /** Returns the message that was read last, without its common fields. */
    CodedInputStream own() {
        return CodedInputStream.newInstance(own, 0, ownLength);
    }

    private void split(ByteString encoded) throws IOException {
        byte[] message = encoded.toByteArray();
        commonLength = 0;
        ownLength = 0;
        if (common.length < message.length) {
            common = new byte[message.length];
            own = new byte[message.length];
        }
        CodedInputStream fields = CodedInputStream.newInstance(message);
        int start = 0;
        for (int tag = fields.readTag(); tag != 0; tag = fields.readTag()) {
            fields.skipField(tag);
            int end = fields.getTotalBytesRead();
            int field = WireFormat.getTagFieldNumber(tag);
            if (field < Long.SIZE && (ownFields >>> field & 1) != 0) {
                System.arraycopy(message, start, own, ownLength, end - start);
                ownLength += end - start;
            } else {
                System.arraycopy(message, start, common, commonLength, end - start);
                commonLength += end - start;
            }
            start = end;
        }
    }

    /** Decodes the common fields. */
    interface Reader<T> {
        T read(CodedInputStream fields) throws IOException;
    }
}
