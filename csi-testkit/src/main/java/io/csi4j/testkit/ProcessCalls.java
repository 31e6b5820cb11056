package io.csi4j.testkit;

import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.internal.control.ControlClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** The calls that one process got. They are known even after its end, because the process reports each call at once. */
final class ProcessCalls {
    private final ControlClient control;
    private final Map<Long, CallRecord> calls = new ConcurrentSkipListMap<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private ProcessCalls(ControlClient control) {
        this.control = control;
    }

    /** Starts to collect the calls that a process reports on its control socket. */
    static ProcessCalls of(ControlClient control, long pid) {
        ProcessCalls calls = new ProcessCalls(control);
        Thread thread = new Thread(calls::follow, "csi4j-fake-plugin-" + pid + "-calls");
        thread.setDaemon(true);
        thread.start();
        calls.connected.join();
        return calls;
    }

    private void follow() {
        try {
            control.follow(() -> connected.complete(null), this::add);
        } catch (IOException killed) {
            // Ignores the exception, with which the connection of a killed process ends: all reports that arrived
            // before it have been read.
        } finally {
            connected.complete(null);
            ended.complete(null);
        }
    }

    /** Adds a call, or replaces an earlier report of the same call. */
    private void add(CallRecord call) {
        calls.merge(call.number(), call, (before, after) -> before.inFlight() ? after : before);
    }

    /**
     * Returns all calls that have reached the process. If it has ended, waits at most {@code patience} until all its
     * reports are read.
     */
    CallHistory now(Duration patience) {
        if (!ended.isDone()) {
            try {
                control.calls().forEach(this::add);
                return history();
            } catch (UncheckedIOException ending) {
                // The process has ended meanwhile. The result contains only the calls that it reported before its end.
            }
        }
        return atEnd(patience);
    }

    /** Returns all calls of a process that has ended; waits at most {@code patience} until all its reports are read. */
    CallHistory atEnd(Duration patience) {
        ended.copy().orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).join();
        return history();
    }

    private CallHistory history() {
        return new CallHistory(new ArrayList<>(calls.values()), 0);
    }
}
