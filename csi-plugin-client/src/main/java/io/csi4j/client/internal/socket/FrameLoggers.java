package io.csi4j.client.internal.socket;

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
 * Creates the loggers of the Netty inside gRPC: a {@link FrameLogger} for frames, and the loggers of Netty's own factory for all else.
 *
 * <p>A frame logger is created with each connection, with the logging library that Netty has found (SLF4J, Log4j or java.util.logging). A
 * factory that the program itself has set for this Netty is not replaced.
 */
final class FrameLoggers extends InternalLoggerFactory {
    private static final Set<String> FRAMES = Set.of(
            "io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler",
            "io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    private final Function<String, InternalLogger> delegate;

    private FrameLoggers(Function<String, InternalLogger> delegate) {
        this.delegate = delegate;
    }

    /** Wraps the factory that Netty uses now, unless it is wrapped already. */
    static void install() {
        Function<String, InternalLogger> delegate = loggersOf(getDefaultFactory());
        if (delegate != null) {
            setDefaultFactory(new FrameLoggers(delegate));
        }
    }

    /** Returns the loggers of a factory; null if the factory is of this class, or cannot be called from outside of Netty. */
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
