package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits until a plugin that died serves again: its supervisor starts it, or the restart command of the settings. */
final class Recovery {
    private static final Duration SUPERVISOR = Duration.ofSeconds(10);
    private static final Duration BEFORE_COMMAND = Duration.ofSeconds(1);
    private static final int POLL_MILLIS = 50;

    private final ConformanceSettings settings;
    private final TimeSource time;
    private final RawCalls calls;
    private @Nullable RuntimeException failure;

    /**
     * Creates a recovery.
     *
     * @param calls calls that are not in the report
     */
    Recovery(ConformanceSettings settings, TimeSource time, RawCalls calls) {
        this.settings = settings;
        this.time = time;
        this.calls = calls;
    }

    /** The state of the plugin after a call that had no answer. */
    enum State {
        SERVES_AGAIN("and serves again"),
        RESTARTED("and the kit has restarted it"),
        GONE("and the rest was not run");

        private final String text;

        State(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    State waitForPlugin() {
        @Nullable Runnable restart = settings.restart();
        if (answersWithin(restart == null ? SUPERVISOR : BEFORE_COMMAND)) {
            return State.SERVES_AGAIN;
        }
        if (restart != null && !Thread.currentThread().isInterrupted()) {
            try {
                restart.run();
            } catch (RuntimeException e) {
                failure = e;
                return State.GONE;
            }
            return answersWithin(settings.timeout()) ? State.RESTARTED : State.GONE;
        }
        return State.GONE;
    }

    /** Returns the failure of the restart command; null if it did not run, or succeeded. */
    @Nullable RuntimeException failure() {
        return failure;
    }

    private boolean answersWithin(Duration limit) {
        Duration patience = limit.compareTo(settings.timeout()) < 0 ? limit : settings.timeout();
        long end = time.nanos() + patience.toNanos();
        while (!Thread.currentThread().isInterrupted()) {
            long left = Math.max(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS), end - time.nanos());
            if (answers(calls.node(), left) && (!calls.split() || answers(calls.controller(), left))) {
                return true;
            }
            if (time.nanos() >= end) {
                return false;
            }
            calls.reconnect();
            calls.waitMillis(POLL_MILLIS);
        }
        return false;
    }

    /** Returns whether the plugin answers a call; an error is an answer, too. */
    private static boolean answers(Channel channel, long nanos) {
        try {
            IdentityGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(nanos, TimeUnit.NANOSECONDS)
                    .probe(ProbeRequest.getDefaultInstance());
            return true;
        } catch (StatusRuntimeException e) {
            return !NoAnswer.is(e);
        }
    }
}
