package io.csi4j.core.spi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The role and the progress of a server in a {@link ReplicatedLog}, at one time.
 *
 * @param self the name of this server
 * @param leading whether the engine of this server may act
 * @param leader the name of the server that leads, as far as this server knows
 * @param leaderSince when this server began to lead, or first noticed that the leader leads, by the clock of this server
 * @param term the number of the leadership that this server knows of; a later leadership has a higher number
 * @param lastIndex the index of the last entry in the log of this server
 * @param committedIndex the index of the last entry that this server knows to be committed
 * @param appliedIndex the index of the last entry in the state
 * @param snapshotIndex the index of the last entry in the latest snapshot; 0 without one
 * @param servers the names of all servers of the log, as far as this server knows
 * @param details further figures for operators
 */
public record LogStatus(
        String self,
        boolean leading,
        Optional<String> leader,
        Optional<Instant> leaderSince,
        long term,
        long lastIndex,
        long committedIndex,
        long appliedIndex,
        long snapshotIndex,
        List<String> servers,
        LogDetails details) {
    public LogStatus {
        servers = List.copyOf(servers);
        Objects.requireNonNull(details, "details");
    }

    /** Creates the status of a log without further figures. */
    public LogStatus(
            String self,
            boolean leading,
            Optional<String> leader,
            Optional<Instant> leaderSince,
            long term,
            long lastIndex,
            long committedIndex,
            long appliedIndex,
            long snapshotIndex,
            List<String> servers) {
        this(
                self,
                leading,
                leader,
                leaderSince,
                term,
                lastIndex,
                committedIndex,
                appliedIndex,
                snapshotIndex,
                servers,
                LogDetails.none());
    }
}
