package io.csi4j.simulation.internal.time;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tasks by time; tasks of the same time are in the order of a number. A binary heap in arrays: a run compares events a
 * hundred thousand times, and the processor would wait for the memory of an object for each event.
 */
final class EventQueue {
    private long[] times = new long[256];
    private long[] orders = new long[256];
    private @Nullable Runnable[] tasks = new @Nullable Runnable[256];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** The time of the first task; the queue must not be empty. */
    long firstTime() {
        return times[0];
    }

    void add(long time, long order, Runnable task) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            tasks = Arrays.copyOf(tasks, 2 * size);
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (!isBefore(time, order, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        set(hole, time, order, task);
    }

    /** Removes the first task and returns it; the queue must not be empty. */
    Runnable poll() {
        Runnable first = Objects.requireNonNull(tasks[0]);
        size--;
        long time = times[size];
        long order = orders[size];
        Runnable task = tasks[size];
        int hole = 0;
        for (int child = 1; child < size; child = 2 * hole + 1) {
            if (child + 1 < size && isBefore(times[child + 1], orders[child + 1], child)) {
                child++;
            }
            if (isBefore(time, order, child)) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        set(hole, time, order, task);
        tasks[size] = null;
        return first;
    }

    private boolean isBefore(long time, long order, int other) {
        return time < times[other] || (time == times[other] && order < orders[other]);
    }

    private void move(int from, int to) {
        set(to, times[from], orders[from], tasks[from]);
    }

    private void set(int at, long time, long order, @Nullable Runnable task) {
        times[at] = time;
        orders[at] = order;
        tasks[at] = task;
    }
}
