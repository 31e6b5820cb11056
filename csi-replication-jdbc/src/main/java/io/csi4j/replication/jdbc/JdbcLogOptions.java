package io.csi4j.replication.jdbc;

import io.csi4j.core.spi.LogOverloadedException;
import java.time.Duration;
import java.util.Objects;

/** The settings of a {@link JdbcCommandLog}. Immutable. All servers of a cluster have the same lease. */
public final class JdbcLogOptions {
    private static final JdbcLogOptions DEFAULTS = builder().build();

    private final Duration lease;
    private final Duration submitTimeout;
    private final Duration statementTimeout;
    private final int pendingCommands;
    private final long pendingBytes;
    private final long snapshotInterval;

    private JdbcLogOptions(Builder builder) {
        this.lease = builder.lease;
        this.submitTimeout = builder.submitTimeout;
        this.statementTimeout = builder.statementTimeout;
        this.pendingCommands = builder.pendingCommands;
        this.pendingBytes = builder.pendingBytes;
        this.snapshotInterval = builder.snapshotInterval;
    }

    /** Returns the default settings. */
    public static JdbcLogOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the time without a sign of the leader after which another server takes over. */
    public Duration lease() {
        return lease;
    }

    /** Returns the time between two looks at the database without other work: a tenth of the lease, at least once a second. */
    public Duration period() {
        Duration tenth = lease.dividedBy(10);
        return tenth.compareTo(Builder.LONGEST_PERIOD) > 0 ? Builder.LONGEST_PERIOD : tenth;
    }

    /** Returns the longest time until a submitted command has its outcome, or fails. */
    public Duration submitTimeout() {
        return submitTimeout;
    }

    /** Returns the longest time for which a statement waits for the database, or for a row that another session holds. */
    public Duration statementTimeout() {
        return statementTimeout;
    }

    /** Returns the largest number of this server's commands that wait for their outcome at the same time. */
    public int pendingCommands() {
        return pendingCommands;
    }

    /** Returns the largest total size of this server's commands that wait for their outcome, in bytes. */
    public long pendingBytes() {
        return pendingBytes;
    }

    /** Returns the number of entries from one snapshot to the next. */
    public long snapshotInterval() {
        return snapshotInterval;
    }

    /** Builds {@link JdbcLogOptions}. Not thread-safe. */
    public static final class Builder {
        private static final Duration SHORTEST_LEASE = Duration.ofMillis(500);
        private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

        private Duration lease = Duration.ofSeconds(10);
        private Duration submitTimeout = Duration.ofSeconds(30);
        private Duration statementTimeout = Duration.ofSeconds(5);
        private int pendingCommands = 4_096;
        private long pendingBytes = 64L << 20;
        private long snapshotInterval = 50_000;

        private Builder() {}

        /**
         * Sets the time without a sign of the leader after which another server takes over. A leader that cannot reach the
         * database stops its engine after eight tenths of this time. All servers need the same value.
         *
         * @param time at least half a second. Default: 10 seconds
         */
        public Builder lease(Duration time) {
            Objects.requireNonNull(time, "time");
            if (time.compareTo(SHORTEST_LEASE) < 0) {
                throw new IllegalArgumentException(
                        "JdbcLogOptions: lease is " + time + "; give at least " + SHORTEST_LEASE);
            }
            this.lease = time;
            return this;
        }

        /**
         * Sets the longest time until a submitted command has its outcome, or fails.
         *
         * @param timeout above zero. Default: 30 seconds
         */
        public Builder submitTimeout(Duration timeout) {
            this.submitTimeout = positive("submitTimeout", timeout);
            return this;
        }

        /**
         * Sets the longest time for which a statement waits for an answer of the database, or for a row that another
         * session holds. The wait for a connection of the pool is not a part of it: limit that in the pool.
         *
         * @param timeout above zero; parts of a second count as a whole one. Default: 5 seconds
         */
        public Builder statementTimeout(Duration timeout) {
            this.statementTimeout = positive("statementTimeout", timeout);
            return this;
        }

        /**
         * Sets the largest number of this server's commands that wait for their outcome. Further commands are rejected
         * with a {@link LogOverloadedException}.
         *
         * @param number at least 1. Default: 4096
         */
        public Builder pendingCommands(int number) {
            this.pendingCommands = Math.toIntExact(positive("pendingCommands", number));
            return this;
        }

        /**
         * Sets the largest total size of this server's commands that wait for their outcome. Further commands are
         * rejected with a {@link LogOverloadedException}.
         *
         * @param bytes at least 1. Default: 64 MiB
         */
        public Builder pendingBytes(long bytes) {
            this.pendingBytes = positive("pendingBytes", bytes);
            return this;
        }

        /**
         * Sets the number of entries from one snapshot to the next. The log keeps this number of entries before the last
         * snapshot, too, and removes the older ones.
         *
         * @param entries at least 1. Default: 50,000
         */
        public Builder snapshotInterval(long entries) {
            this.snapshotInterval = positive("snapshotInterval", entries);
            return this;
        }

        private static Duration positive(String field, Duration value) {
            Objects.requireNonNull(value, field);
            if (value.isZero() || value.isNegative()) {
                throw new IllegalArgumentException(
                        "JdbcLogOptions: " + field + " is " + value + "; give a time above zero");
            }
            return value;
        }

        private static long positive(String field, long value) {
            if (value < 1) {
                throw new IllegalArgumentException("JdbcLogOptions: " + field + " is " + value + "; give at least 1");
            }
            return value;
        }

        /** Returns the settings. */
        public JdbcLogOptions build() {
            return new JdbcLogOptions(this);
        }
    }
}
