package io.csi4j.core.internal.concurrent;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.log.FailureName;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.Timer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the code of the host. A callback that throws, returns null or blocks only fails its own call, and a log line
 * names it. Thread-safe.
 */
public final class HostCallbacks {
    private static final System.Logger LOG = System.getLogger(HostCallbacks.class.getName());
    private static final int MAX_CAUSES = 5;
    /** The time between two log lines about one failure of one callback. */
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(10);

    /** The time after which a callback that should return at once is logged. */
    private static final Duration SLOW = Duration.ofSeconds(30);

    private final Executor executor;
    private final Timer timer;

    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    // Guarded by this object's monitor. The number of entries is limited by the callbacks and their exceptions.
    private final Map<String, Reported> reported = new HashMap<>();

    private record Reported(long atNanos, int unreported) {}

    /**
     * Creates an object without log lines.
     *
     * @param executor runs the callbacks, never on the thread that submits them
     * @param timer measures the time between two log lines
     */
    public HostCallbacks(Executor executor, Timer timer) {
        this.executor = executor;
        this.timer = timer;
    }

    /**
     * Calls a callback in a task of its own, so that a callback that blocks does not block the caller.
     *
     * @param <R> the type of the future's value
     * @param name the name of the callback, for operators
     * @param start calls the host
     * @return the future of the callback; it fails if the callback throws or returns null. A cancellation cancels the
     *     callback's future. If it is completed before the callback begins, the callback is not called
     */
    public <R extends @Nullable Object> CompletableFuture<R> call(String name, Supplier<CompletableFuture<R>> start) {
        Call<R> call = new Call<>(name);
        try {
            executor.execute(() -> begin(call, start));
        } catch (RejectedExecutionException e) {
            call.completeExceptionally(e);
        }
        return call;
    }

    private <R extends @Nullable Object> void begin(Call<R> call, Supplier<CompletableFuture<R>> start) {
        if (call.isDone()) {
            return;
        }
        CompletableFuture<R> answer = Futures.start(() -> required(call.name, start.get()));
        call.returned = true;
        var unused = answer.whenComplete((value, failure) -> {
            if (failure != null) {
                failed(call.name, failure);
            }
            Futures.complete(call, value, failure);
        });
        var unusedToo = call.whenComplete((value, failure) -> {
            if (failure != null) {
                answer.cancel(true);
            }
        });
    }

    /**
     * Returns what a callback returned, or the value of its future.
     *
     * @param <T> the type of the answer
     * @param name the name of the callback, for operators
     * @param answer the answer of the callback
     * @return the answer
     * @throws RuntimeException if it is null
     */
    public <T> T required(String name, @Nullable T answer) {
        if (answer == null) {
            throw nullAnswer(name);
        }
        return answer;
    }

    /**
     * Logs that a callback answered null, and returns the failure of its call.
     *
     * @param name the name of the callback, for operators
     * @return the failure; the outcome of the call is unknown
     */
    public RuntimeException nullAnswer(String name) {
        log(name, "answered null; csi4j continues without its result");
        return new NoAnswerException("the host's " + name + " answered null; mend it");
    }

    /**
     * Calls a callback that returns a value, on the thread of the caller. While it runs, {@link #logBlocked} knows it.
     *
     * @param <T> the type of the value
     * @param name the name of the callback, for operators
     * @param callback calls the host
     * @return the value
     * @throws RuntimeException if the value is null
     * @throws Exception the exception of the callback
     */
    public <T> T watched(String name, Callable<T> callback) throws Exception {
        Running call = new Running(name, timer.nanoTime());
        running.add(call);
        try {
            return required(name, callback.call());
        } finally {
            running.remove(call);
        }
    }

    /** Logs each {@linkplain #watched watched} callback that has not returned for a while. */
    public void logBlocked() {
        long now = timer.nanoTime();
        for (Running call : running) {
            if (Duration.ofNanos(now - call.sinceNanos).compareTo(SLOW) >= 0) {
                log(call.name, "has blocked its thread for more than " + Durations.text(SLOW) + "; csi4j waits for it");
            }
        }
    }

    /**
     * Logs that a call was given up after its time limit, if the callback has not even returned.
     *
     * @param call a future of {@link #call}
     * @param limit the time limit
     */
    public void givenUp(CompletableFuture<?> call, Duration limit) {
        if (call instanceof Call<?> late && !late.returned) {
            log(late.name, "has blocked its thread for " + Durations.text(limit) + "; its call counts as not answered");
        }
    }

    /**
     * Logs the failure of a callback, unless it is an expected one: an exception of csi4j, such as the answer of a
     * plugin.
     *
     * @param name the name of the callback, for operators
     * @param failure the failure
     */
    public void failed(String name, Throwable failure) {
        Throwable cause = Futures.unwrap(failure);
        boolean expected = cause instanceof CsiException
                || cause instanceof NoAnswerException
                || cause instanceof CancellationException
                || cause instanceof RejectedExecutionException;
        if (!expected) {
            log(name, "failed with " + describe(cause) + "; csi4j continues without its result");
        }
    }

    /**
     * Logs a problem of a callback when it occurs first, and then at intervals with the number of repetitions.
     *
     * @param name the name of the callback, for operators
     * @param problem what the callback did, without anything sensitive
     */
    public void log(String name, String problem) {
        int repetitions;
        synchronized (this) {
            long now = timer.nanoTime();
            Reported before = reported.get(name + problem);
            Duration since = before == null ? LOG_INTERVAL : Duration.ofNanos(now - before.atNanos());
            if (before != null && since.compareTo(LOG_INTERVAL) < 0) {
                reported.put(name + problem, new Reported(before.atNanos(), before.unreported() + 1));
                return;
            }
            repetitions = before == null ? 0 : before.unreported();
            reported.put(name + problem, new Reported(now, 0));
        }
        String repeated = repetitions == 0 ? "" : "; " + repetitions + " times more since the last such line";
        LOG.log(Level.WARNING, () -> "The host's " + name + " " + problem + repeated);
    }

    /**
     * Returns the {@linkplain FailureName name} and the code line of a failure and of its causes. Messages are left out,
     * because those of the host may contain secrets.
     *
     * @param failure a failure of the host's code
     */
    public static String describe(Throwable failure) {
        List<String> parts = new ArrayList<>();
        Optional<Throwable> next = Optional.of(Futures.unwrap(failure));
        while (next.isPresent() && parts.size() < MAX_CAUSES) {
            Throwable cause = next.get();
            StackTraceElement[] trace = cause.getStackTrace();
            parts.add(FailureName.of(cause) + (trace.length == 0 ? "" : " at " + trace[0]));
            next = Optional.ofNullable(cause.getCause()).map(Futures::unwrap);
        }
        return String.join(", caused by ", parts);
    }

    /** A callback answered null. The failure was logged, and the outcome of the call is unknown. */
    private static final class NoAnswerException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoAnswerException(String message) {
            super(message);
        }
    }

    /** A callback that runs on the thread of its caller. Compared by identity. */
    private static final class Running {
        private final String name;
        private final long sinceNanos;

        Running(String name, long sinceNanos) {
            this.name = name;
            this.sinceNanos = sinceNanos;
        }
    }

    /** The call of one callback. */
    private static final class Call<R extends @Nullable Object> extends CompletableFuture<R> {
        private final String name;
        private volatile boolean returned;

        Call(String name) {
            this.name = name;
        }
    }
}
