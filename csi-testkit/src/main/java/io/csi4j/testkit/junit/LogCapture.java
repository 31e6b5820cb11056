package io.csi4j.testkit.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/** The log lines of one test. Tests in parallel see the lines of each other, and each searches for its own secrets. */
final class LogCapture {
    private static final int SHORTEST = 4;

    /** Keeps the logger and its level: the log manager drops a logger to which nothing refers. */
    private static final Logger CSI4J = Logger.getLogger("io.csi4j");

    private static final List<LogCapture> OPEN = new CopyOnWriteArrayList<>();
    private static final Collector COLLECTOR = new Collector();
    private static @Nullable Level before;

    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    private record Line(@Nullable String logger, String text) {}

    private LogCapture() {}

    static LogCapture begin(boolean wanted) {
        LogCapture capture = new LogCapture();
        if (wanted) {
            synchronized (LogCapture.class) {
                if (OPEN.isEmpty()) {
                    before = CSI4J.getLevel();
                    CSI4J.setLevel(Level.ALL);
                    Logger.getLogger("").addHandler(COLLECTOR);
                }
                OPEN.add(capture);
            }
        }
        return capture;
    }

    void end() {
        synchronized (LogCapture.class) {
            if (OPEN.remove(this) && OPEN.isEmpty()) {
                Logger.getLogger("").removeHandler(COLLECTOR);
                CSI4J.setLevel(before);
            }
        }
    }

    /** Returns the names of the loggers whose lines contain one of the values. */
    List<String> loggersThatShow(Set<String> secrets) {
        Set<String> loggers = new TreeSet<>();
        List<String> searched =
                secrets.stream().filter(secret -> secret.length() >= SHORTEST).toList();
        for (Line line : lines) {
            if (searched.stream().anyMatch(line.text()::contains)) {
                loggers.add(line.logger() == null ? "(a logger without a name)" : line.logger());
            }
        }
        return new ArrayList<>(loggers);
    }

    /** Collects the lines of all loggers for all open captures. */
    private static final class Collector extends Handler {
        private final Formatter format = new SimpleFormatter();

        Collector() {
            setLevel(Level.ALL);
        }

        @Override
        public void publish(LogRecord record) {
            Line line = new Line(record.getLoggerName(), format.format(record));
            OPEN.forEach(capture -> capture.lines.add(line));
        }

        @Override
        public void flush() {
            // Does nothing, because this handler has no buffer.
        }

        @Override
        public void close() {
            // Does nothing, because this handler has no open file.
        }
    }
}
