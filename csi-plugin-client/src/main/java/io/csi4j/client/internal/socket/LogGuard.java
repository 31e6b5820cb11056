package io.csi4j.client.internal.socket;

import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps secrets out of the logs of gRPC and Netty at any level (R35).
 *
 * <ul>
 *   <li>The HTTP/2 handler logs every frame at DEBUG, in hexadecimal: requests with their secrets, responses with their
 *       contexts. See {@link FrameLoggers}.
 *   <li>The client stream logs, at INFO, an error text of the plugin that arrives after the end of the call. Plugins repeat
 *       requests in such texts.
 * </ul>
 *
 * <p>Only these two loggers are changed, and only on csi4j's I/O threads. A filter is used instead of a level, because reading a logging
 * configuration resets levels.
 */
public final class LogGuard implements Filter {
    /** The logger of the client stream. This strong reference keeps the log manager from dropping the logger with its filter. */
    private static final Logger STREAMS = Logger.getLogger("io.grpc.internal.AbstractClientStream");

    private final @Nullable Filter before;

    private LogGuard(@Nullable Filter before) {
        this.before = before;
    }

    /** Installs the two filters, or restores them if they were replaced. */
    public static synchronized void install() {
        FrameLoggers.install();
        Filter present = STREAMS.getFilter();
        if (!(present instanceof LogGuard)) {
            STREAMS.setFilter(new LogGuard(present));
        }
    }

    @Override
    public boolean isLoggable(LogRecord logged) {
        if (IoThread.isCurrent() && logged.getLevel().intValue() <= Level.INFO.intValue()) {
            return false;
        }
        return before == null || before.isLoggable(logged);
    }
}
