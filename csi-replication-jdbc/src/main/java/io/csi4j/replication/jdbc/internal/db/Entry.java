package io.csi4j.replication.jdbc.internal.db;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An entry of the log.
 *
 * @param index its place, from 1 without gaps
 * @param term the leadership to which it is bound; 0: to none
 * @param origin the random number of the process that submitted it; {@link #HOST}: a transaction of the host has recorded it
 * @param number its number at its origin; the id of its row if the host has recorded it
 * @param content the encoded command
 * @param chain the digest of this entry and all entries before it, 32 bytes. Two servers that have the same chain at an
 *     index have read the same entries
 */
@SuppressWarnings("ArrayRecordComponent") // Values of rows, which are never compared.
public record Entry(long index, long term, long origin, long number, byte[] content, byte[] chain) {
    /** The origin of commands from transactions of the host; no process has this number. */
    public static final long HOST = 0;

    /** The length of a chain in bytes. */
    public static final int CHAIN_BYTES = 32;

    /** Returns the entry that follows a chain. */
    public static Entry after(byte[] chain, long index, long term, long origin, long number, byte[] content) {
        return new Entry(index, term, origin, number, content, next(chain, index, term, origin, number, content));
    }

    /** Returns whether this entry follows a chain. */
    public boolean follows(byte[] before) {
        return MessageDigest.isEqual(chain, next(before, index, term, origin, number, content));
    }

    private static byte[] next(byte[] chain, long index, long term, long origin, long number, byte[] content) {
        MessageDigest sha = sha256();
        sha.update(chain);
        sha.update(ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(index)
                .putLong(term)
                .putLong(origin)
                .putLong(number)
                .flip());
        sha.update(content);
        return sha.digest();
    }

    /** Returns a new SHA-256 digest. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("JdbcCommandLog: this JDK has no SHA-256", e);
        }
    }
}
