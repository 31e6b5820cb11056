package io.csi4j.examples.scheduler;

import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The clock of one process of a chaos run. It differs from the clock of the machine by the duration in a file, which
 * the main program changes while the process runs. A scheduler of your own does not need this class.
 */
final class ShiftedClock extends Clock {
    private static final long READ_NANOS = Duration.ofMillis(200).toNanos();

    private final Path file;
    private final ZoneId zone;
    private Duration shift = Duration.ZERO;
    private long readAt;

    private ShiftedClock(Path file, ZoneId zone) {
        this.file = file;
        this.zone = zone;
        this.readAt = System.nanoTime() - READ_NANOS;
    }

    /** Returns an environment like {@link Environment#system()}, with a clock that follows the file. */
    static Environment environment(Path file) {
        Environment system = Environment.system();
        return Environment.of(
                new ShiftedClock(file, ZoneOffset.UTC), system.timer(), system.executor(), system.random());
    }

    /** Sets the clock of the process that reads this file. */
    static void set(Path file, Duration shift) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path beside = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(beside, shift.toString());
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public synchronized Instant instant() {
        long now = System.nanoTime();
        if (now - readAt >= READ_NANOS) {
            readAt = now;
            shift = read();
        }
        return Instant.now().plus(shift);
    }

    private Duration read() {
        try {
            return Files.exists(file) ? Duration.parse(Files.readString(file)) : Duration.ZERO;
        } catch (IOException e) {
            System.err.println("the clock stays as it is, because " + file + " cannot be read: " + e.getMessage());
            return shift;
        }
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new ShiftedClock(file, other);
    }
}
