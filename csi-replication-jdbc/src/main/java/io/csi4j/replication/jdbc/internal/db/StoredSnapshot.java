package io.csi4j.replication.jdbc.internal.db;

/**
 * A complete snapshot of the state in the database.
 *
 * @param index the index of the last entry in it
 * @param chain the digest of all entries up to this one
 * @param bytes its size
 * @param chunks the number of its parts
 * @param digest the SHA-256 digest of its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record StoredSnapshot(long index, byte[] chain, long bytes, int chunks, byte[] digest) {}
