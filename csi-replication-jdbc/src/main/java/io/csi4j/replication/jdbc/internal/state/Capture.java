package io.csi4j.replication.jdbc.internal.state;

import io.csi4j.core.state.StateReader;

/**
 * The state with its place in the log.
 *
 * @param index the index of the last entry in it
 * @param chain the digest of all entries up to this one
 * @param state the state
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Capture(long index, byte[] chain, StateReader state) {}
