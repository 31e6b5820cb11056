package io.csi4j.testkit.agent;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Time that passes when a test says so. */
final class HandTimer implements Timer {
    private record Task(long number, long due, Runnable work) {}

    private final List<Task> tasks = new ArrayList<>();
    private long now;
    private long scheduled;

    @Override
    public synchronized Cancellable schedule(Duration delay, Runnable work) {
        Task task = new Task(scheduled++, now + Math.max(0, delay.toMillis()), work);
        tasks.add(task);
        notifyAll();
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    /** Lets time pass, and does what is due, in order. */
    void advance(Duration time) {
        long until = then(time);
        for (@Nullable Task next = due(until); next != null; next = due(until)) {
            next.work.run();
        }
        arrive(until);
    }

    private synchronized long then(Duration time) {
        return now + time.toMillis();
    }

    private synchronized @Nullable Task due(long until) {
        @Nullable Task first = tasks.stream()
                .filter(each -> each.due <= until)
                .min(Comparator.comparingLong(Task::due).thenComparingLong(Task::number))
                .orElse(null);
        if (first != null) {
            now = Math.max(now, first.due);
            tasks.remove(first);
        }
        return first;
    }

    private synchronized void arrive(long until) {
        now = until;
    }

    /** How many tasks are due that far from now. */
    synchronized int due(Duration time) {
        long at = then(time);
        return (int) tasks.stream().filter(each -> each.due == at).count();
    }

    /** Waits, in the time of the machine, until so many tasks are due that far from now. */
    synchronized void awaitDue(Duration time, int count) throws InterruptedException {
        long end = System.nanoTime() + Ground.PATIENCE.toNanos();
        while (due(time) != count) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError(due(time) + " tasks are due in " + time + ", and not " + count);
            }
            wait(left);
        }
    }
}
