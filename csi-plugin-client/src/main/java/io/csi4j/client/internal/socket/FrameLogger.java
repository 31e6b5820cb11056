package io.csi4j.client.internal.socket;

import io.grpc.netty.shaded.io.netty.util.internal.logging.AbstractInternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;

/** A logger that drops messages below INFO on csi4j's I/O threads, and passes everything on other threads. */
final class FrameLogger extends AbstractInternalLogger {
    private static final long serialVersionUID = 1L;

    private final transient InternalLogger delegate;

    FrameLogger(InternalLogger delegate) {
        super(delegate.name());
        this.delegate = delegate;
    }

    private static boolean quiet() {
        return IoThread.isCurrent();
    }

    @Override
    public boolean isTraceEnabled() {
        return !quiet() && delegate.isTraceEnabled();
    }

    @Override
    public void trace(String message) {
        if (!quiet()) {
            delegate.trace(message);
        }
    }

    @Override
    public void trace(String format, Object argument) {
        if (!quiet()) {
            delegate.trace(format, argument);
        }
    }

    @Override
    public void trace(String format, Object first, Object second) {
        if (!quiet()) {
            delegate.trace(format, first, second);
        }
    }

    @Override
    public void trace(String format, Object... arguments) {
        if (!quiet()) {
            delegate.trace(format, arguments);
        }
    }

    @Override
    public void trace(String message, Throwable thrown) {
        if (!quiet()) {
            delegate.trace(message, thrown);
        }
    }

    @Override
    public boolean isDebugEnabled() {
        return !quiet() && delegate.isDebugEnabled();
    }

    @Override
    public void debug(String message) {
        if (!quiet()) {
            delegate.debug(message);
        }
    }

    @Override
    public void debug(String format, Object argument) {
        if (!quiet()) {
            delegate.debug(format, argument);
        }
    }

    @Override
    public void debug(String format, Object first, Object second) {
        if (!quiet()) {
            delegate.debug(format, first, second);
        }
    }

    @Override
    public void debug(String format, Object... arguments) {
        if (!quiet()) {
            delegate.debug(format, arguments);
        }
    }

    @Override
    public void debug(String message, Throwable thrown) {
        if (!quiet()) {
            delegate.debug(message, thrown);
        }
    }

    @Override
    public boolean isInfoEnabled() {
        return delegate.isInfoEnabled();
    }

    @Override
    public void info(String message) {
        delegate.info(message);
    }

    @Override
    public void info(String format, Object argument) {
        delegate.info(format, argument);
    }

    @Override
    public void info(String format, Object first, Object second) {
        delegate.info(format, first, second);
    }

    @Override
    public void info(String format, Object... arguments) {
        delegate.info(format, arguments);
    }

    @Override
    public void info(String message, Throwable thrown) {
        delegate.info(message, thrown);
    }

    @Override
    public boolean isWarnEnabled() {
        return delegate.isWarnEnabled();
    }

    @Override
    public void warn(String message) {
        delegate.warn(message);
    }

    @Override
    public void warn(String format, Object argument) {
        delegate.warn(format, argument);
    }

    @Override
    public void warn(String format, Object first, Object second) {
        delegate.warn(format, first, second);
    }

    @Override
    public void warn(String format, Object... arguments) {
        delegate.warn(format, arguments);
    }

    @Override
    public void warn(String message, Throwable thrown) {
        delegate.warn(message, thrown);
    }

    @Override
    public boolean isErrorEnabled() {
        return delegate.isErrorEnabled();
    }

    @Override
    public void error(String message) {
        delegate.error(message);
    }

    @Override
    public void error(String format, Object argument) {
        delegate.error(format, argument);
    }

    @Override
    public void error(String format, Object first, Object second) {
        delegate.error(format, first, second);
    }

    @Override
    public void error(String format, Object... arguments) {
        delegate.error(format, arguments);
    }

    @Override
    public void error(String message, Throwable thrown) {
        delegate.error(message, thrown);
    }
}
