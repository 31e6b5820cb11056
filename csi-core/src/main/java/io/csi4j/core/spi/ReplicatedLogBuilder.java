package io.csi4j.core.spi;

import java.io.IOException;

/** Starts a {@link ReplicatedLog} with the threads of the server that uses it. */
public interface ReplicatedLogBuilder {
    /**
     * Sets the clock, the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the log; if not set, the log has its own
     *     {@link Environment#system()} and closes it
     */
    ReplicatedLogBuilder environment(Environment environment);

    /**
     * Starts the log. Blocks while stored entries are read; does not wait for a leader.
     *
     * @return a running log; the caller closes it
     * @throws LogFailedException if stored entries are damaged, or belong to another cluster
     * @throws IllegalStateException if a required setting is missing
     * @throws IOException if the place of the log cannot be used
     */
    ReplicatedLog start() throws IOException;
}
