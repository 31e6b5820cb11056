package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Remembers which users of the database fail, and counts their failures. Thread-safe. */
final class DatabaseHealth {
    private final Timer timer;

    // The monitor of this object guards the fields below. The user whose trouble began first is the first one.
    private final Map<Object, Trouble> troubles = new LinkedHashMap<>();
    private long failures;

    private record Trouble(String message, String remedy, long since) {}

    DatabaseHealth(Timer timer) {
        this.timer = timer;
    }

    /** A user has failed. */
    synchronized void fails(Object user, String message, String remedy) {
        failures++;
        Trouble before = troubles.get(user);
        troubles.put(user, new Trouble(message, remedy, before == null ? timer.nanoTime() : before.since()));
    }

    /** A user has succeeded. */
    synchronized void works(Object user) {
        troubles.remove(user);
    }

    /** Returns the number of failures. */
    synchronized long failures() {
        return failures;
    }

    /** Returns the trouble that has lasted longest, with its last message. */
    synchronized Optional<LogDetails.Trouble> trouble() {
        return troubles.values().stream()
                .findFirst()
                .map(trouble -> new LogDetails.Trouble(
                        trouble.message(), trouble.remedy(), Duration.ofNanos(timer.nanoTime() - trouble.since())));
    }
}
