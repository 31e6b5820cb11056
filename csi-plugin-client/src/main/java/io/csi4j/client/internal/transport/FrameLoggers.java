package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Log4J2LoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Log4JLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Slf4JLoggerFactory;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of the shaded Netty as from its own factory, but with a {@link FrameLogger} for frames.
 *
 * <p>A frame logger is created with each connection, with the logging library that Netty has found (SLF4J, Log4j or java.util.logging). A program with its own factory for the shaded Netty is not changed.
 */
final class FrameLoggers extends InternalLoggerFactory {
    private static final Set<String> FRAMES = Set.of(
            "io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler",
            "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    private final Function<String, InternalLogger> delegate;

    private FrameLoggers(Function<String, InternalLogger> delegate) {
        this.delegate = delegate;
    }

    /** Wraps the present factory, unless it is wrapped already. */
    static void install() {
        Function<String, InternalLogger> delegate = loggersOf(getDefaultFactory());
        if (delegate != null) {
            setDefaultFactory(new FrameLoggers(delegate));
        }
    }

    /** Returns null for this class itself, and for factories that only Netty can use. */
    private static @Nullable Function<String, InternalLogger> loggersOf(InternalLoggerFactory factory) {
        if (factory instanceof Slf4JLoggerFactory slf4j) {
            return slf4j::newInstance;
        }
        if (factory instanceof Log4J2LoggerFactory log4j2) {
            return log4j2::newInstance;
        }
        if (factory instanceof Log4JLoggerFactory log4j) {
            return log4j::newInstance;
        }
        if (factory instanceof JdkLoggerFactory jdk) {
            return jdk::newInstance;
        }
        return null;
    }

    @Override
    protected InternalLogger newInstance(String name) {
        InternalLogger logger = delegate.apply(name);
        return FRAMES.contains(name) ? new FrameLogger(logger) : logger;
    }
}
