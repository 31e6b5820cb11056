package io.csi4j.replication.jdbc.internal.db;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All that the tables say about the log, as one statement has read it.
 *
 * @param renewed whether the same statement has renewed the lease of this server
 * @param head the state of the log and its leader
 * @param servers the servers that have ever been here, in the order of their names
 * @param snapshot the latest snapshot
 */
public record Overview(boolean renewed, Head head, List<Server> servers, Optional<Snapshot> snapshot) {
    public Overview {
        servers = List.copyOf(servers);
    }

    /**
     * A server.
     *
     * @param name its name
     * @param applied the index of the last entry in its state, when it last reported
     * @param silent the time since its last report, by the clock of the database
     * @param version its version of csi4j
     */
    public record Server(String name, long applied, Duration silent, String version) {}

    /**
     * A complete snapshot.
     *
     * @param index the index of the last entry in it
     * @param bytes its size
     * @param age the time since it was completed, by the clock of the database
     */
    public record Snapshot(long index, long bytes, Duration age) {}

    /** Returns the same with another result of the renewal. */
    Overview as(boolean done) {
        return new Overview(done, head, servers, snapshot);
    }

    /** Returns the same with a newer head. */
    public Overview with(Head newer) {
        return new Overview(renewed, newer, servers, snapshot);
    }

    /** Returns whether a server has reported before. */
    public boolean lists(String name) {
        return servers.stream().anyMatch(server -> server.name().equals(name));
    }
}
