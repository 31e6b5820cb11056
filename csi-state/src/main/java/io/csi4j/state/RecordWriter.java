package io.csi4j.state;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.csi4j.core.call.CsiException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Writes records: a kind, the length, a protobuf message, and a checksum over all bytes from the start of the encoding. The checksum shows
 * whether a record was changed, removed, repeated or moved.
 */
final class RecordWriter {
    static final byte[] MAGIC = "csi4jst\n".getBytes(StandardCharsets.US_ASCII);
    static final int HEAD = 1 + Integer.BYTES;
    static final int TAIL = Integer.BYTES;

    private final OutputStream out;
    private final CRC32C checksum = new CRC32C();
    private byte[] buffer = new byte[4096];

    RecordWriter(OutputStream out) throws IOException {
        this.out = out;
        checksum.update(MAGIC);
        out.write(MAGIC);
    }

    void write(RecordKind kind, MessageLite message) throws IOException {
        int length = message.getSerializedSize();
        if (length > RecordReader.MAX_LENGTH) {
            // Refuses a row that is too long to be read back, because a reader would have to refuse the whole file.
            throw new CsiException("Encoded state: a row of kind " + kind + " has " + length + " bytes, and at most "
                    + RecordReader.MAX_LENGTH + " can be read back; nothing that was written is usable");
        }
        int size = HEAD + length + TAIL;
        if (buffer.length < size) {
            buffer = new byte[Math.max(size, 2 * buffer.length)];
        }
        ByteBuffer bytes = ByteBuffer.wrap(buffer);
        bytes.put((byte) kind.number).putInt(length);
        CodedOutputStream coded = CodedOutputStream.newInstance(buffer, HEAD, length);
        message.writeTo(coded);
        coded.checkNoSpaceLeft();
        checksum.update(buffer, 0, HEAD + length);
        bytes.putInt(HEAD + length, (int) checksum.getValue());
        out.write(buffer, 0, size);
    }
}
