package io.csi4j.client.internal.transport;

import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps secrets out of the logs of gRPC and Netty (R35), however far they are turned up.
 *
 * <ul>
 *   <li>The HTTP/2 handler writes every frame to its logger at DEBUG, in hexadecimal: requests with their
 *       secrets, answers with their contexts. See {@link FrameLoggers}.
 *   <li>The client stream writes, at INFO, an error text of the plugin's that comes after the call has
 *       ended at this side. Plugins repeat requests in such texts.
 * </ul>
 *
 * <p>Only these two loggers are touched, and only on the I/O threads of csi4j: others that use the same
 * gRPC notice nothing. A filter, not a level, because reading a logging configuration resets levels.
 */
public final class LogGuard implements Filter {
    /** Held for good: the log manager would otherwise drop the logger together with the filter. */
    private static final Logger STREAMS = Logger.getLogger("io.grpc.internal.AbstractClientStream");

    private final @Nullable Filter before;

    private LogGuard(@Nullable Filter before) {
        this.before = before;
    }

    /** Puts the guards in place, or in place again. */
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
