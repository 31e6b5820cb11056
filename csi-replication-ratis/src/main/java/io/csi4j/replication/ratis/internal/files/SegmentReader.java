package io.csi4j.replication.ratis.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a segment: the length as a varint, the entry, and a CRC32C of both. The room after the last record
 * is filled with zeros.
 */
final class SegmentReader {
    static final byte[] HEAD = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKSUM = Integer.BYTES;
    /** The first byte of each entry, which is the Protobuf tag of its term. */
    private static final byte FIRST_TAG = 8;

    private final ByteBuffer bytes;
    private int start;

    /** The reason why no record can be read. */
    enum Defect {
        /** No record is here: the last record ended before this position. */
        END,
        /** The file or its written part ends within the record. */
        CUT_OFF,
        /** The record was written completely, and was damaged later. */
        CHANGED
    }

    /**
     * A record, or the reason why none can be read at this position.
     *
     * @param position where it begins, in bytes from the start of the file
     * @param end where the next one begins
     * @param entry the entry, or null
     * @param defect why there is no entry, or null
     */
    record Found(
            int position,
            int end,
            @Nullable LogEntryProto entry,
            @Nullable Defect defect) {}

    private SegmentReader(ByteBuffer bytes, int start) {
        this.bytes = bytes;
        this.start = start;
    }

    static SegmentReader open(Segment segment) throws IOException {
        return new SegmentReader(ByteBuffer.wrap(Files.readAllBytes(segment.file())), HEAD.length);
    }

    /** Returns whether the file begins as a segment does. */
    boolean hasHead() {
        return bytes.limit() >= HEAD.length && bytes.slice(0, HEAD.length).equals(ByteBuffer.wrap(HEAD));
    }

    /** Returns whether the file was created and never written. */
    boolean blank() {
        return zeros(0);
    }

    private boolean zeros(int from) {
        for (int i = from; i < bytes.limit(); i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads the next record. */
    Found next() {
        Found found = at(start);
        if (found.entry() != null) {
            start = found.end();
        } else if (found.defect() == Defect.CUT_OFF && recordAfter(start)) {
            return new Found(start, start, null, Defect.CHANGED);
        }
        return found;
    }

    /**
     * Returns whether a whole record follows somewhere after the position. If so, the unreadable record at the position
     * was once written completely and was damaged later.
     */
    private boolean recordAfter(int position) {
        for (int i = position + 1; i < bytes.limit(); i++) {
            if (bytes.get(i) != 0 && at(i).entry() != null) {
                return true;
            }
        }
        return false;
    }

    private Found at(int position) {
        if (position >= bytes.limit()) {
            return new Found(position, position, null, Defect.END);
        }
        if (bytes.get(position) == 0) {
            return new Found(position, position, null, zeros(position) ? Defect.END : Defect.CHANGED);
        }
        int length = 0;
        int shift = 0;
        int body = position;
        byte part;
        do {
            if (body >= bytes.limit()) {
                return new Found(position, position, null, Defect.CUT_OFF);
            }
            part = bytes.get(body++);
            length |= (part & 0x7f) << shift;
            shift += 7;
        } while (part < 0 && shift < Integer.SIZE);
        return record(position, body, length);
    }

    private Found record(int position, int body, int length) {
        long end = (long) body + length + CHECKSUM;
        if (length <= 0) {
            return new Found(position, position, null, Defect.CHANGED);
        }
        if (end > bytes.limit()) {
            return new Found(position, position, null, Defect.CUT_OFF);
        }
        LogEntryProto entry = bytes.get(body) == FIRST_TAG ? entry(position, body, (int) end) : null;
        if (entry != null) {
            return new Found(position, (int) end, entry, null);
        }
        boolean unwritten = bytes.getInt((int) end - CHECKSUM) == 0 && zeros((int) end);
        return new Found(position, position, null, unwritten ? Defect.CUT_OFF : Defect.CHANGED);
    }

    private @Nullable LogEntryProto entry(int position, int body, int end) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.slice(position, end - CHECKSUM - position));
        if ((int) checksum.getValue() != bytes.getInt(end - CHECKSUM)) {
            return null;
        }
        try {
            return LogEntryProto.parseFrom(bytes.slice(body, end - CHECKSUM - body));
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }
}
