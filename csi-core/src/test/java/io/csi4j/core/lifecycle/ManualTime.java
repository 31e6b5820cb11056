package io.csi4j.core.lifecycle;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Clock, timer and executor of one thread, moved by the test. */
final class ManualTime extends Clock implements Timer, Executor {
    private final Deque<Runnable> ready = new ArrayDeque<>();
    private final List<Planned> planned = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    private record Planned(Instant at, Runnable task) {}

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Planned entry = new Planned(now.plus(delay), task);
        planned.add(entry);
        return () -> planned.remove(entry);
    }

    @Override
    public void execute(Runnable task) {
        ready.add(task);
    }

    /** Runs what is ready, and what becomes ready by that; time stands still. */
    void run() {
        for (Runnable task = ready.poll(); task != null; task = ready.poll()) {
            task.run();
        }
    }

    /** Lets time pass, task by task. */
    void advance(Duration time) {
        run();
        Instant end = now.plus(time);
        while (true) {
            Optional<Planned> next =
                    planned.stream().filter(entry -> !entry.at.isAfter(end)).min(Comparator.comparing(Planned::at));
            if (next.isEmpty()) {
                now = end;
                return;
            }
            planned.remove(next.get());
            now = next.get().at.isAfter(now) ? next.get().at : now;
            next.get().task.run();
            run();
        }
    }

    int planned() {
        return planned.size();
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
