package io.csi4j.core.spi;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The figures of a {@link ReplicatedLog} for operators, as far as the log has them without asking anything.
 *
 * @param firstIndex the index of the first entry that the log still has; empty: the log does not say it
 * @param snapshot the latest snapshot of which this server knows
 * @param servers the servers of the log with their progress; empty: the log does not say it
 * @param leaseAge the elapsed time since this server sent its last successful renewal of the lease; empty: this server has
 *     no lease, or the log has none
 * @param trouble the reason why the storage of the log fails now
 * @param failures the number of failures of the storage since this server has started
 * @param waitingCommands the number of this server's commands that wait for their outcome
 * @param waitingBytes the total size of these commands in bytes
 */
public record LogDetails(
        OptionalLong firstIndex,
        Optional<Snapshot> snapshot,
        List<Server> servers,
        Optional<Duration> leaseAge,
        Optional<Trouble> trouble,
        long failures,
        int waitingCommands,
        long waitingBytes) {
    private static final LogDetails NONE = new LogDetails(
            OptionalLong.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty(), 0, 0, 0);

    public LogDetails {
        Objects.requireNonNull(firstIndex, "firstIndex");
        Objects.requireNonNull(snapshot, "snapshot");
        servers = List.copyOf(servers);
        Objects.requireNonNull(leaseAge, "leaseAge");
        Objects.requireNonNull(trouble, "trouble");
    }

    /** Returns the details of a log that has none. */
    public static LogDetails none() {
        return NONE;
    }

    /**
     * A snapshot of the state.
     *
     * @param index the index of the last entry in it
     * @param bytes its size
     * @param age the time since it was completed, by the clock of the storage; empty: the log does not say it
     */
    public record Snapshot(long index, long bytes, Optional<Duration> age) {
        public Snapshot {
            Objects.requireNonNull(age, "age");
        }
    }

    /**
     * A server of the log.
     *
     * @param name its name
     * @param appliedIndex the index of the last entry in its state, as it last reported; that of this server is of now.
     *     Where servers do not report it, the index of the last entry that the server knew to be committed. Empty: this
     *     server does not know it
     * @param silentFor the time since its last report, by the clock of the storage, or since its last answer; empty: this
     *     server does not know it
     * @param version its version of csi4j; empty: this server does not know it
     */
    public record Server(
            String name, OptionalLong appliedIndex, Optional<Duration> silentFor, Optional<String> version) {
        public Server {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(appliedIndex, "appliedIndex");
            Objects.requireNonNull(silentFor, "silentFor");
            Objects.requireNonNull(version, "version");
        }
    }

    /**
     * A failure of the storage that lasts.
     *
     * @param message the failure, for operators
     * @param remedy the next action of an operator
     * @param age the elapsed time since it began
     */
    public record Trouble(String message, String remedy, Duration age) {
        public Trouble {
            Objects.requireNonNull(message, "message");
            Objects.requireNonNull(remedy, "remedy");
            Objects.requireNonNull(age, "age");
        }
    }
}
