package io.csi4j.state;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads the records that {@link RecordWriter} wrote, one at a time, and reports the position of a damaged record. */
final class RecordReader {
    /** The largest valid length of a record in bytes. No row is nearly as long, so a larger length means that the record is damaged. */
    static final int MAX_LENGTH = 64 << 20;

    private static final int CHUNK = 1 << 16;

    private final InputStream in;
    private final CRC32C checksum = new CRC32C();
    private byte[] buffer = new byte[CHUNK];
    private long position;
    private long start;
    private int number;
    private int length;
    private RecordKind kind = RecordKind.HEADER;

    RecordReader(InputStream in) throws IOException {
        this.in = in;
        int read = in.readNBytes(buffer, 0, RecordWriter.MAGIC.length);
        if (!Arrays.equals(buffer, 0, read, RecordWriter.MAGIC, 0, RecordWriter.MAGIC.length)) {
            throw broken(read == 0 ? "it is empty" : "it is not an encoded state of csi4j", null);
        }
        checksum.update(RecordWriter.MAGIC);
        position = read;
    }

    /** Reads the next record, checks its bytes, and returns its kind. */
    RecordKind next() throws IOException {
        start = position;
        number++;
        read(0, RecordWriter.HEAD);
        length = ByteBuffer.wrap(buffer).getInt(1);
        if (length < 0 || length > MAX_LENGTH) {
            throw broken("its length is " + length, null);
        }
        read(RecordWriter.HEAD, length + RecordWriter.TAIL);
        checksum.update(buffer, 0, RecordWriter.HEAD + length);
        if (ByteBuffer.wrap(buffer).getInt(RecordWriter.HEAD + length) != (int) checksum.getValue()) {
            throw broken("its checksum does not fit, so it was changed, or a record before it is missing", null);
        }
        RecordKind found = RecordKind.of(buffer[0]);
        if (found == null) {
            throw broken("its kind, " + buffer[0] + ", is not known here; a newer version may have written it", null);
        }
        kind = found;
        return found;
    }

    /** Returns the message of the current record. */
    CodedInputStream message() {
        return CodedInputStream.newInstance(buffer, RecordWriter.HEAD, length);
    }

    /** Checks that the stream has no more bytes. */
    void end() throws IOException {
        if (in.read() >= 0) {
            start = position;
            throw broken("there is more after the end", null);
        }
    }

    StateFormatException broken(String reason, @Nullable Throwable cause) {
        return new StateFormatException(
                start, number == 0 ? "at the start" : "in record " + number + " (" + kind + ")", reason, cause);
    }

    /** Reads bytes in steps, so that a damaged length does not cause the allocation of too much memory. */
    private void read(int offset, int count) throws IOException {
        int done = 0;
        while (done < count) {
            int step = Math.min(count - done, CHUNK);
            if (buffer.length < offset + done + step) {
                buffer = Arrays.copyOf(
                        buffer, Math.max(offset + done + step, Math.min(2 * buffer.length, offset + count)));
            }
            int read = in.readNBytes(buffer, offset + done, step);
            done += read;
            position += read;
            if (read < step) {
                throw broken("it is cut off after " + position + " bytes", null);
            }
        }
    }
}
