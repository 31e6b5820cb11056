package io.csi4j.core.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * An attempt of a {@link ReplicatedLog} to write commands of its server, which has ended.
 *
 * @param result its end
 * @param commands the number of the commands
 * @param took the elapsed time of the attempt
 */
public record LogCommit(Result result, int commands, Duration took) {
    public LogCommit {
        Objects.requireNonNull(result, "result");
        Objects.requireNonNull(took, "took");
    }

    /** The ends of an attempt. */
    public enum Result {
        /** The commands are durable. */
        COMMITTED,
        /** Another server has written first, or leads now. Nothing was written; the log tries again where it may. */
        OVERTAKEN,
        /** The storage has failed, and has the commands or not. The log finds out, and tries again where it may. */
        FAILED
    }
}
