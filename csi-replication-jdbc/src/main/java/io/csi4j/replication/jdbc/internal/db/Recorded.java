package io.csi4j.replication.jdbc.internal.db;

/**
 * A command that a transaction of the host has recorded, and that the log does not have yet.
 *
 * @param id the id of its row
 * @param subject the command in words, for operators
 * @param content the encoded command
 */
@SuppressWarnings("ArrayRecordComponent") // Values of rows, which are never compared.
public record Recorded(long id, String subject, byte[] content) {}
