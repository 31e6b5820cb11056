package io.csi4j.micrometer;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A log that measures the time until each command is answered. */
final class TimedLog implements CommandLog {
    private final CommandLog log;
    private final Clock clock;
    private final AtomicInteger waiting;
    private final Timer accepted;
    private final Timer rejected;
    private final Timer failed;

    TimedLog(CommandLog log, MeterFactory meters, Clock clock, AtomicInteger waiting) {
        this.log = log;
        this.clock = clock;
        this.waiting = waiting;
        this.accepted = meters.timer(CsiMeter.LOG, "accepted");
        this.rejected = meters.timer(CsiMeter.LOG, "rejected");
        this.failed = meters.timer(CsiMeter.LOG, "failed");
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        long begun = clock.monotonicTime();
        waiting.incrementAndGet();
        CompletableFuture<Outcome> answer;
        try {
            answer = log.submit(command);
        } catch (RuntimeException | Error e) {
            record(begun, null);
            throw e;
        }
        return answer.whenComplete((outcome, failure) -> record(begun, failure == null ? outcome : null));
    }

    private void record(long begun, @Nullable Outcome outcome) {
        waiting.decrementAndGet();
        Timer timer = outcome == null ? failed : outcome.accepted() ? accepted : rejected;
        timer.record(clock.monotonicTime() - begun, TimeUnit.NANOSECONDS);
    }
}
