package io.csi4j.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Captures everything that is logged in this JVM at any level, while it is open. */
final class LogCapture extends Handler implements AutoCloseable {
    private final Logger root = Logger.getLogger("");
    private final Level before = root.getLevel();
    private final List<String> texts = new ArrayList<>();

    LogCapture() {
        setLevel(Level.ALL);
        setFormatter(new SimpleFormatter());
        root.addHandler(this);
        root.setLevel(Level.FINEST);
    }

    /** The logger of the test's plugin, which runs in this JVM and logs the frames that it receives. Its lines are ignored. */
    private static final String PLUGIN = "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler";

    @Override
    public synchronized void publish(LogRecord record) {
        if (PLUGIN.equals(record.getLoggerName())) {
            return;
        }
        StringWriter text = new StringWriter();
        text.append(getFormatter().format(record)).append(String.valueOf(record.getMessage()));
        if (record.getParameters() != null) {
            for (Object parameter : record.getParameters()) {
                text.append(' ').append(String.valueOf(parameter));
            }
        }
        if (record.getThrown() != null) {
            record.getThrown().printStackTrace(new PrintWriter(text, true));
        }
        texts.add(text.toString());
    }

    synchronized List<String> texts() {
        return List.copyOf(texts);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        root.removeHandler(this);
        root.setLevel(before);
    }
}
