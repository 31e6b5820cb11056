package io.csi4j.client;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Log4J2LoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Log4JLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Slf4JLoggerFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps secrets out of the logs (R35). The HTTP/2 handler of gRPC writes every frame it sends and
 * receives to its logger at DEBUG, as hexadecimal, secrets included; whoever turns the root logger up to
 * find a fault would publish them.
 *
 * <p>The logger is made by the factory of the shaded Netty whenever a connection is made, with whichever
 * logging library Netty has found (SLF4J, Log4j or java.util.logging). So the guard stands before that
 * factory. Only the logger of frames is touched, only below INFO, and only on the I/O threads of csi4j;
 * others that use the same gRPC notice nothing. A program that gives the shaded Netty a factory of its
 * own making takes the matter into its own hands: it is left alone.
 */
final class FrameLogGuard extends InternalLoggerFactory {
    private static final String FRAMES = "io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler";

    private final Function<String, InternalLogger> delegate;

    private FrameLogGuard(Function<String, InternalLogger> delegate) {
        this.delegate = delegate;
    }

    /** Puts the guard in place, or in place again. */
    static synchronized void install() {
        Function<String, InternalLogger> delegate = loggersOf(getDefaultFactory());
        if (delegate != null) {
            setDefaultFactory(new FrameLogGuard(delegate));
        }
    }

    /** Null for the guard itself, and for factories that nobody but Netty can ask. */
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
        return name.equals(FRAMES) ? new FrameLogger(logger) : logger;
    }
}
