package io.csi4j.node;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What a record has said, one frame behind the other; the last one counts. A frame is a magic number, a version, the
 * length and the CRC-32C of what follows, the CRC-32C of these four, and what follows, which ends with a mark. Behind the
 * last frame the file ends, or has zeros.
 *
 * <p>A frame that the file ends in the midst of, or of which a part that a disk writes at once has nothing but zeros, was
 * being written when its process or the machine died, and nobody was told of it: the one before counts. A frame that is
 * there and broken has gone bad, and counts as a record that cannot be used: what it said was relied on. So has one that
 * another one follows, which was only written since this one was there. They can be told apart, since its length has a
 * checksum of its own, and neither its beginning nor its end is zero.
 */
final class RecordFrames {
    private static final int MAGIC = 0x43344e56;
    /** One frame, and no checksum of its header. */
    private static final int FIRST_VERSION = 1;

    private static final int VERSION = 2;
    private static final int FIRST_HEADER = 16;
    private static final int HEADER = 20;
    /** What a disk writes wholly or not at all, at the least. */
    private static final int SECTOR = 512;

    private static final int MARK = 0x2e;
    private static final String BROKEN = "its checksum does not fit its contents";

    private RecordFrames() {}

    /** What was found in a file. */
    static final class Last {
        private final byte[] body;
        private final long end;

        private Last(byte[] body, long end) {
            this.body = body;
            this.end = end;
        }

        /** Of the last frame that is whole. */
        InputStream body() {
            return new ByteArrayInputStream(body);
        }

        /** Where the next frame begins; empty: none may be added to what is there. */
        OptionalLong end() {
            return end < 0 ? OptionalLong.empty() : OptionalLong.of(end);
        }
    }

    /** Leaves room for the header, which {@link #finish} fills in. */
    static ByteArrayOutputStream begin(int usualBytes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(HEADER + usualBytes);
        bytes.writeBytes(new byte[HEADER]);
        return bytes;
    }

    /** The frame of what was written since {@link #begin}. */
    static byte[] finish(ByteArrayOutputStream begun) {
        begun.write(MARK);
        byte[] frame = begun.toByteArray();
        int length = frame.length - HEADER;
        ByteBuffer.wrap(frame)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putInt(length)
                .putInt(checksum(frame, HEADER, length))
                .putInt(checksum(frame, 0, FIRST_HEADER));
        return frame;
    }

    /**
     * The last frame; empty: not even the first was written to its end, so nothing was ever said. Throws an IOException
     * that says what is wrong, and nothing of what is in it.
     */
    static Optional<Last> last(byte[] file) throws IOException {
        if (isEmpty(file, 0, Math.min(SECTOR, file.length))) {
            if (anyWhole(file, 0)) {
                throw new IOException(BROKEN);
            }
            return Optional.empty();
        }
        byte[] magic = ByteBuffer.allocate(Integer.BYTES).putInt(MAGIC).array();
        int begun = Math.min(magic.length, file.length);
        if (!Arrays.equals(file, 0, begun, magic, 0, begun)) {
            throw new IOException("it is no record");
        }
        if (file.length >= FIRST_HEADER && ByteBuffer.wrap(file).getInt(Integer.BYTES) == FIRST_VERSION) {
            return Optional.of(first(file));
        }
        byte[] body = null;
        int at = 0;
        while (!isEmpty(file, at, file.length)) {
            if (at + HEADER > file.length) {
                return last(body, -1);
            }
            String problem = problem(file, at);
            int end = at + HEADER;
            int next = at + 1;
            if (problem.isEmpty()) {
                int length = length(file, at);
                if (length > file.length - end) {
                    return last(body, -1);
                }
                end += length;
                next = end;
                problem = checksum(file, at + HEADER, length) == bodyChecksum(file, at) ? "" : BROKEN;
            } else {
                // How long it is to be is not known; what is not written is zero to the end of its sector.
                end = Math.min((end + SECTOR - 1) / SECTOR * SECTOR, file.length);
            }
            if (!problem.isEmpty()) {
                if (isTorn(file, at, end) && !anyWhole(file, next)) {
                    return last(body, -1);
                }
                throw new IOException(problem);
            }
            // Without the mark: an older program wrote fewer fields, and the mark must not be read as the next one.
            body = Arrays.copyOfRange(file, at + HEADER, Math.max(at + HEADER, end - 1));
            at = end;
        }
        return last(body, at);
    }

    private static Optional<Last> last(byte @Nullable [] body, long end) {
        return body == null ? Optional.empty() : Optional.of(new Last(body, end));
    }

    /** Whether some sector that a frame has a part in was not written. */
    private static boolean isTorn(byte[] file, int from, int to) {
        for (int at = from; at < to; at = (at / SECTOR + 1) * SECTOR) {
            if (isEmpty(file, at, Math.min((at / SECTOR + 1) * SECTOR, to))) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is a frame that is whole, wherever it begins. */
    private static boolean anyWhole(byte[] file, int from) {
        ByteBuffer bytes = ByteBuffer.wrap(file);
        for (int at = from; at + HEADER <= file.length; at++) {
            if (bytes.getInt(at) == MAGIC
                    && problem(file, at).isEmpty()
                    && length(file, at) <= file.length - at - HEADER
                    && checksum(file, at + HEADER, length(file, at)) == bodyChecksum(file, at)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEmpty(byte[] file, int from, int to) {
        for (int at = from; at < to; at++) {
            if (file[at] != 0) {
                return false;
            }
        }
        return true;
    }

    /** What is wrong with a header; empty: nothing. */
    private static String problem(byte[] file, int at) {
        ByteBuffer header = ByteBuffer.wrap(file, at, HEADER);
        int magic = header.getInt();
        int version = header.getInt();
        if (magic == MAGIC && version != VERSION) {
            return "it is of version " + version + ", and this program knows version " + VERSION;
        }
        int sum = ByteBuffer.wrap(file).getInt(at + FIRST_HEADER);
        return magic == MAGIC && sum == checksum(file, at, FIRST_HEADER) && length(file, at) >= 0 ? "" : BROKEN;
    }

    private static int length(byte[] file, int at) {
        return ByteBuffer.wrap(file).getInt(at + 2 * Integer.BYTES);
    }

    private static int bodyChecksum(byte[] file, int at) {
        return ByteBuffer.wrap(file).getInt(at + 3 * Integer.BYTES);
    }

    private static Last first(byte[] file) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(file, 2 * Integer.BYTES, 2 * Integer.BYTES);
        int length = file.length - FIRST_HEADER;
        if (header.getInt() != length || header.getInt() != checksum(file, FIRST_HEADER, length)) {
            throw new IOException(BROKEN);
        }
        return new Last(Arrays.copyOfRange(file, FIRST_HEADER, file.length), -1);
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
