package io.csi4j.replication.jdbc;

import io.csi4j.postgres.Conditions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The warnings and errors that the module writes while this object is open. Thread-safe. */
public final class Warnings extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.csi4j.replication.jdbc");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    public Warnings() {
        setLevel(Level.WARNING);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        if (isLoggable(line)) {
            lines.add(line.getMessage());
        }
    }

    public List<String> lines() {
        return lines;
    }

    /** Waits for a line with all of these parts. */
    public void await(String... parts) {
        Conditions.await(
                "a warning with " + List.of(parts) + " in " + lines,
                () -> lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains)));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
