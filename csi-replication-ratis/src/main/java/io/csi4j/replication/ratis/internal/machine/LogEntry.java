package io.csi4j.replication.ratis.internal.machine;

import java.nio.ByteBuffer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * An entry of the log. Each submitting process has a random number, its origin, and numbers its entries. An entry may
 * be in the log twice, because it was sent again after a lost answer. The two have the same origin and number, and only
 * the first is applied.
 *
 * @param kind the kind
 * @param origin the random number of the process that submitted the entry
 * @param number the number of the entry at its origin; later entries have higher numbers
 * @param answered the lowest number of an entry for whose answer the origin still waits
 * @param content the command, or the content of another kind
 */
public record LogEntry(Kind kind, long origin, long number, long answered, ByteString content) {
    private static final byte FORMAT = 1;
    private static final int HEAD = 2 + 3 * Long.BYTES;

    /** The kinds of entries. The number of a kind is a part of the stored form of an entry. */
    public enum Kind {
        /** A command that changes the state. */
        COMMAND(1),
        /** An entry without content. When it is applied, all entries before it have been applied. */
        BARRIER(2),
        /** The digest of the leader, which each peer compares with its own. */
        CHECK(3);

        private final byte stored;

        Kind(int stored) {
            this.stored = (byte) stored;
        }
    }

    /** Returns the stored form. */
    public ByteString encode() {
        ByteBuffer stored = ByteBuffer.allocate(HEAD + content.size())
                .put(FORMAT)
                .put(kind.stored)
                .putLong(origin)
                .putLong(number)
                .putLong(answered);
        content.copyTo(stored);
        return UnsafeByteOperations.unsafeWrap(stored.array());
    }

    /**
     * Reads the stored form.
     *
     * @throws UnknownEntryException if a newer version wrote it, or it is damaged
     */
    public static LogEntry decode(ByteBuffer stored) {
        if (stored.remaining() < HEAD) {
            throw new UnknownEntryException("it has " + stored.remaining() + " bytes and no head");
        }
        byte format = stored.get();
        byte kind = stored.get();
        if (format != FORMAT) {
            throw new UnknownEntryException("its format is " + format + ", and this version reads " + FORMAT);
        }
        long origin = stored.getLong();
        long number = stored.getLong();
        long answered = stored.getLong();
        return new LogEntry(kindOf(kind), origin, number, answered, UnsafeByteOperations.unsafeWrap(stored.slice()));
    }

    private static Kind kindOf(byte stored) {
        for (Kind kind : Kind.values()) {
            if (kind.stored == stored) {
                return kind;
            }
        }
        throw new UnknownEntryException("its kind is " + stored + ", which this version does not know");
    }

    @Override
    public String toString() {
        return kind + "[origin=" + Long.toHexString(origin) + ", number=" + number + ", " + content.size() + " bytes]";
    }

    /** Reports an entry that this version cannot read. */
    public static final class UnknownEntryException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnknownEntryException(String message) {
            super(message);
        }
    }
}
