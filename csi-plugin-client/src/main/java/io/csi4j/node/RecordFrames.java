package io.csi4j.node;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * What a record has said, one frame behind the other; the last one counts. A frame is a magic number, a version, the
 * length and the CRC-32C of what follows, the CRC-32C of these four, and what follows.
 *
 * <p>A frame that the file ends in the midst of, or has nothing but zeros for, was being written when its process or the machine died, and nobody was
 * told of it: the one before counts. Since its length has a checksum of its own, that is told apart from a frame that
 * has gone bad, which counts as a record that cannot be used: what it said was relied on.
 */
final class RecordFrames {
    private static final int MAGIC = 0x43344e56;
    /** One frame, and no checksum of its header. */
    private static final int FIRST_VERSION = 1;

    private static final int VERSION = 2;
    private static final int FIRST_HEADER = 16;
    private static final int HEADER = 20;

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

    /** Throws an IOException that says what is wrong, and nothing of what is in it. */
    static Last last(byte[] file) throws IOException {
        if (file.length < FIRST_HEADER || ByteBuffer.wrap(file).getInt() != MAGIC) {
            throw new IOException("it is no record, or was cut off");
        }
        int version = ByteBuffer.wrap(file).getInt(Integer.BYTES);
        if (version == FIRST_VERSION) {
            return first(file);
        }
        byte[] body = null;
        int at = 0;
        while (at + HEADER <= file.length) {
            if (isEmpty(file, at)) {
                // The file system had made room for it, and came to no more.
                break;
            }
            int length = length(file, at);
            if (length > file.length - at - HEADER) {
                break;
            }
            if (checksum(file, at + HEADER, length)
                    != ByteBuffer.wrap(file).getInt(at + FIRST_HEADER - Integer.BYTES)) {
                throw new IOException("its checksum does not fit its contents");
            }
            body = Arrays.copyOfRange(file, at + HEADER, at + HEADER + length);
            at += HEADER + length;
        }
        if (body == null) {
            // The first frame comes into being with its file.
            throw new IOException("it was cut off");
        }
        return new Last(body, at == file.length ? at : -1);
    }

    private static boolean isEmpty(byte[] file, int from) {
        for (int at = from; at < file.length; at++) {
            if (file[at] != 0) {
                return false;
            }
        }
        return true;
    }

    private static int length(byte[] file, int at) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(file, at, HEADER);
        int magic = header.getInt();
        int version = header.getInt();
        int length = header.getInt();
        header.getInt();
        if (magic == MAGIC && version != VERSION) {
            throw new IOException("it is of version " + version + ", and this program knows version " + VERSION);
        }
        if (header.getInt() != checksum(file, at, FIRST_HEADER) || magic != MAGIC || length < 0) {
            throw new IOException("its checksum does not fit its contents");
        }
        return length;
    }

    private static Last first(byte[] file) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(file, 2 * Integer.BYTES, 2 * Integer.BYTES);
        int length = file.length - FIRST_HEADER;
        if (header.getInt() != length || header.getInt() != checksum(file, FIRST_HEADER, length)) {
            throw new IOException("its checksum does not fit its contents");
        }
        return new Last(Arrays.copyOfRange(file, FIRST_HEADER, file.length), -1);
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
