package io.csi4j.client.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Slf4JLoggerFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls each method of a frame logger, on an I/O thread and on others, and compares what the logger of the host gets. */
class FrameLoggerTest {
    private static final List<Method> METHODS = Stream.of(FrameLogger.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .toList();
    private static final Predicate<Method> DETAILED =
            method -> method.getName().matches("trace|debug|isTraceEnabled|isDebugEnabled");

    private final List<String> lines = new ArrayList<>();

    private FrameLogger logger(boolean enabled) {
        return new FrameLogger((InternalLogger) Proxy.newProxyInstance(
                InternalLogger.class.getClassLoader(),
                new Class<?>[] {InternalLogger.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("name")) {
                        return "frames";
                    }
                    lines.add(line(method, arguments == null ? new Object[0] : arguments));
                    return method.getReturnType() == boolean.class ? enabled : null;
                }));
    }

    private static String line(Method method, Object[] arguments) {
        return method.getName() + Arrays.toString(method.getParameterTypes()) + Arrays.deepToString(arguments);
    }

    private static Object[] arguments(Method method) {
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            if (type == Throwable.class) {
                arguments.add(new IllegalStateException("thrown"));
            } else if (type == Object[].class) {
                arguments.add(new Object[] {"one", "two", "three"});
            } else {
                arguments.add("argument " + arguments.size());
            }
        }
        return arguments.toArray();
    }

    private static List<String> expected(Predicate<Method> passed) {
        return METHODS.stream()
                .filter(passed)
                .map(method -> line(method, arguments(method)))
                .toList();
    }

    /** Calls all methods; returns the results of those that return something. */
    private static List<Object> callAll(FrameLogger logger) throws ReflectiveOperationException {
        List<Object> results = new ArrayList<>();
        for (Method method : METHODS) {
            Object result = method.invoke(logger, arguments(method));
            if (result != null) {
                results.add(DETAILED.test(method) ? "detailed " + result : result);
            }
        }
        return results;
    }

    private static <T> T onIoThread(FutureTask<T> work) throws Exception {
        IoThread.factory("frames-").newThread(work).start();
        return work.get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hostGetsEachLineOfOtherThreads(boolean enabled) throws Exception {
        assertThat(callAll(logger(enabled)))
                .containsExactlyInAnyOrder("detailed " + enabled, "detailed " + enabled, enabled, enabled, enabled);
        assertThat(lines).hasSize(30).isEqualTo(expected(method -> true));
    }

    @Test
    void hostGetsNoFramesOfAnIoThread() throws Exception {
        FrameLogger logger = logger(true);
        assertThat(onIoThread(new FutureTask<>(() -> callAll(logger))))
                .containsExactlyInAnyOrder("detailed false", "detailed false", true, true, true);
        assertThat(lines).hasSize(18).isEqualTo(expected(DETAILED.negate()));
    }

    private static Stream<InternalLoggerFactory> factories() {
        return Stream.of(JdkLoggerFactory.INSTANCE, Slf4JLoggerFactory.INSTANCE);
    }

    @ParameterizedTest
    @MethodSource("factories")
    void onlyTheLoggersOfFramesAreReplaced(InternalLoggerFactory factory) {
        InternalLoggerFactory before = InternalLoggerFactory.getDefaultFactory();
        try {
            InternalLoggerFactory.setDefaultFactory(factory);
            IoKind.NIO.threads().close();
            for (String side : List.of("Client", "Server")) {
                String name = "io.grpc.netty.shaded.io.grpc.netty.Netty" + side + "Handler";
                InternalLogger frames = InternalLoggerFactory.getInstance(name);
                assertThat(frames).isInstanceOf(FrameLogger.class);
                assertThat(frames.name()).isEqualTo(name);
            }
            InternalLogger other = InternalLoggerFactory.getInstance("io.grpc.netty.shaded.io.netty.channel");
            assertThat(other).isNotNull().isNotInstanceOf(FrameLogger.class);
            InternalLoggerFactory installed = InternalLoggerFactory.getDefaultFactory();
            FrameLoggers.install();
            assertThat(InternalLoggerFactory.getDefaultFactory()).isSameAs(installed);
        } finally {
            InternalLoggerFactory.setDefaultFactory(before);
        }
    }

    @Test
    void textsOfPluginsAreLoggedAtWarningOrOnOtherThreadsOnly() throws Exception {
        LogGuard.install();
        var filter = java.util.logging.Logger.getLogger("io.grpc.internal.AbstractClientStream")
                .getFilter();
        assertThat(filter.isLoggable(new LogRecord(Level.INFO, "a text"))).isTrue();
        assertThat(onIoThread(new FutureTask<>(() -> Stream.of(Level.FINE, Level.INFO, Level.WARNING)
                        .map(level -> filter.isLoggable(new LogRecord(level, "a text")))
                        .toList())))
                .containsExactly(false, false, true);
    }

    @Test
    void filterOfTheHostStaysInForce() throws Exception {
        java.util.logging.Logger streams = java.util.logging.Logger.getLogger("io.grpc.internal.AbstractClientStream");
        var before = streams.getFilter();
        try {
            streams.setFilter(line -> !line.getMessage().equals("dropped by the host"));
            LogGuard.install();
            LogGuard.install();
            assertThat(streams.getFilter()).isInstanceOf(LogGuard.class);
            assertThat(streams.getFilter().isLoggable(new LogRecord(Level.INFO, "dropped by the host")))
                    .isFalse();
            assertThat(streams.getFilter().isLoggable(new LogRecord(Level.INFO, "a text")))
                    .isTrue();
        } finally {
            streams.setFilter(before);
        }
    }
}
