package io.csi4j.replication.ratis;

import io.csi4j.core.spi.LogOverloadedException;
import java.time.Duration;
import java.util.Objects;

/** The settings of a {@link RatisCommandLog}. Immutable. All peers of a cluster have the same election timeout. */
public final class RatisLogOptions {
    private static final RatisLogOptions DEFAULTS = builder().build();

    private final Duration electionTimeout;
    private final Duration submitTimeout;
    private final int pendingCommands;
    private final long pendingBytes;
    private final long snapshotInterval;
    private final long checkInterval;

    private RatisLogOptions(Builder builder) {
        this.electionTimeout = builder.electionTimeout;
        this.submitTimeout = builder.submitTimeout;
        this.pendingCommands = builder.pendingCommands;
        this.pendingBytes = builder.pendingBytes;
        this.snapshotInterval = builder.snapshotInterval;
        this.checkInterval = builder.checkInterval;
    }

    /** Returns the default settings. */
    public static RatisLogOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the shortest time without a leader after which a peer starts an election. */
    public Duration electionTimeout() {
        return electionTimeout;
    }

    /** Returns the longest time until a submitted command has its outcome, or fails. */
    public Duration submitTimeout() {
        return submitTimeout;
    }

    /** Returns the largest number of this peer's commands that wait for their outcome at the same time. */
    public int pendingCommands() {
        return pendingCommands;
    }

    /** Returns the largest total size of this peer's commands that wait for their outcome, in bytes. */
    public long pendingBytes() {
        return pendingBytes;
    }

    /** Returns the number of log entries from one snapshot to the next. */
    public long snapshotInterval() {
        return snapshotInterval;
    }

    /** Returns the number of commands from one comparison of the peers' digests to the next. */
    public long checkInterval() {
        return checkInterval;
    }

    /** Builds {@link RatisLogOptions}. Not thread-safe. */
    public static final class Builder {
        private static final Duration SHORTEST_ELECTION_TIMEOUT = Duration.ofMillis(100);

        private Duration electionTimeout = Duration.ofSeconds(1);
        private Duration submitTimeout = Duration.ofSeconds(30);
        private int pendingCommands = 4_096;
        private long pendingBytes = 64L << 20;
        private long snapshotInterval = 50_000;
        private long checkInterval = 1_024;

        private Builder() {}

        /**
         * Sets the shortest time without a leader after which a peer starts an election; the longest time is one and a
         * half times this. A leader stops leading if a majority of the peers does not answer for two fifths of this
         * time. Choose a longer time if peers are far apart or their disks are slow.
         *
         * @param timeout at least 100 ms. Default: 1 second
         */
        public Builder electionTimeout(Duration timeout) {
            Objects.requireNonNull(timeout, "timeout");
            if (timeout.compareTo(SHORTEST_ELECTION_TIMEOUT) < 0) {
                throw new IllegalArgumentException("RatisLogOptions: electionTimeout is " + timeout + "; give at least "
                        + SHORTEST_ELECTION_TIMEOUT);
            }
            this.electionTimeout = timeout;
            return this;
        }

        /**
         * Sets the longest time until a submitted command has its outcome, or fails.
         *
         * @param timeout above zero. Default: 30 seconds
         */
        public Builder submitTimeout(Duration timeout) {
            Objects.requireNonNull(timeout, "timeout");
            if (timeout.isZero() || timeout.isNegative()) {
                throw new IllegalArgumentException(
                        "RatisLogOptions: submitTimeout is " + timeout + "; give a time above zero");
            }
            this.submitTimeout = timeout;
            return this;
        }

        /**
         * Sets the largest number of this peer's commands that wait for their outcome. Further commands are rejected
         * with a {@link LogOverloadedException}.
         *
         * @param number at least 1. Default: 4096
         */
        public Builder pendingCommands(int number) {
            this.pendingCommands = Math.toIntExact(positive("pendingCommands", number));
            return this;
        }

        /**
         * Sets the largest total size of this peer's commands that wait for their outcome. Further commands are
         * rejected with a {@link LogOverloadedException}.
         *
         * @param bytes at least 1. Default: 64 MiB
         */
        public Builder pendingBytes(long bytes) {
            this.pendingBytes = positive("pendingBytes", bytes);
            return this;
        }

        /**
         * Sets the number of log entries from one snapshot to the next. The log keeps this number of entries before the
         * last snapshot, too, and removes the older ones.
         *
         * @param entries at least 1. Default: 50,000
         */
        public Builder snapshotInterval(long entries) {
            this.snapshotInterval = positive("snapshotInterval", entries);
            return this;
        }

        /**
         * Sets the number of commands from one comparison of the peers' digests to the next.
         *
         * @param commands at least 1. Default: 1024
         */
        public Builder checkInterval(long commands) {
            this.checkInterval = positive("checkInterval", commands);
            return this;
        }

        private static long positive(String name, long value) {
            if (value < 1) {
                throw new IllegalArgumentException("RatisLogOptions: " + name + " is " + value + "; give at least 1");
            }
            return value;
        }

        public RatisLogOptions build() {
            return new RatisLogOptions(this);
        }
    }
}
