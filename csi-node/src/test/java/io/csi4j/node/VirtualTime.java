package io.csi4j.node;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/** Timer, clock and executor of one thread: tasks run when the test says so, in an order that a seed decides. */
final class VirtualTime extends Clock implements Timer, Executor {
    private record Planned(long at, long number, Runnable task, AtomicBoolean off) {}

    private final RandomGenerator random;
    private final PriorityQueue<Planned> planned = new PriorityQueue<>(
            (a, b) -> a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.number(), b.number()));
    private final List<Runnable> ready = new ArrayList<>();
    private long now;
    private long number;
    /** Tasks of a process that was killed are dropped. */
    private int life;

    VirtualTime(RandomGenerator random) {
        this.random = random;
    }

    /** Forgets everything that the process had planned. */
    void kill() {
        life++;
        ready.clear();
    }

    @Override
    public void execute(Runnable task) {
        ready.add(task);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        int mine = life;
        return plan(delay, () -> {
            if (mine == life) {
                task.run();
            }
        });
    }

    /** For what happens outside of the process. */
    Cancellable plan(Duration delay, Runnable task) {
        AtomicBoolean off = new AtomicBoolean();
        planned.add(new Planned(now + Math.max(0, delay.toMillis()), number++, task, off));
        return () -> off.set(true);
    }

    /** Runs one thing that is due; false: nothing is. */
    boolean step() {
        if (!ready.isEmpty()) {
            ready.remove(random.nextInt(ready.size())).run();
            return true;
        }
        return false;
    }

    /** Goes on to the next planned thing, if it is within the limit. */
    boolean tick(long limit) {
        while (!planned.isEmpty() && planned.peek().off().get()) {
            planned.poll();
        }
        if (planned.isEmpty() || planned.peek().at() > limit) {
            return false;
        }
        Planned next = planned.poll();
        now = Math.max(now, next.at());
        next.task().run();
        return true;
    }

    void run(Duration time) {
        long end = now + time.toMillis();
        boolean more = true;
        while (more) {
            more = step() || tick(end);
        }
        now = end;
    }

    @Override
    public long millis() {
        return now + 1;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
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
