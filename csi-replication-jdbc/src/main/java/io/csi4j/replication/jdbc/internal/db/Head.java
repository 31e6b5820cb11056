package io.csi4j.replication.jdbc.internal.db;

import org.jspecify.annotations.Nullable;

/**
 * The state of the log and its leader, as one statement has read them.
 *
 * @param lastIndex the index of the last entry
 * @param chain the digest of all entries
 * @param firstIndex the lowest index that the log still has
 * @param identity the database that the last leader has found
 * @param lease the leadership
 * @param firstRecorded the lowest id of the host's commands that wait for the leader; 0: none waits
 * @param lastRecorded their highest id; 0: none waits
 */
@SuppressWarnings("ArrayRecordComponent") // Values of rows, which are never compared.
public record Head(
        long lastIndex,
        byte[] chain,
        long firstIndex,
        String identity,
        Lease lease,
        long firstRecorded,
        long lastRecorded) {
    /**
     * The leadership.
     *
     * @param term its number
     * @param renewals how often it was taken or renewed
     * @param holder the random number of the process that leads; 0: none leads
     * @param leader the name of the server that leads; null: none leads
     */
    public record Lease(
            long term, long renewals, long holder, @Nullable String leader) {
        /** Returns whether a process has the lease. */
        public boolean free() {
            return holder == 0;
        }
    }
}
