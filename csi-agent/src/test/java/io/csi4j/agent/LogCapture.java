package io.csi4j.agent;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the lines that a logger and its children write at the default level, until it is closed. */
public final class LogCapture implements AutoCloseable {
    private final Logger logger;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
        }

        @Override
        public void flush() {
            // Does nothing, because this handler has no buffer.
        }

        @Override
        public void close() {
            // Does nothing, because this handler has no open file.
        }
    };

    private LogCapture(String name) {
        this.logger = Logger.getLogger(name);
        logger.addHandler(handler);
    }

    /** Begins to collect the lines of a class. */
    public static LogCapture of(Class<?> type) {
        return new LogCapture(type.getName());
    }

    /** Begins to collect the lines of all classes of csi4j. Tests that run at the same time write some of them. */
    public static LogCapture all() {
        return new LogCapture("io.csi4j");
    }

    /** Returns the lines so far, each with its level. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
