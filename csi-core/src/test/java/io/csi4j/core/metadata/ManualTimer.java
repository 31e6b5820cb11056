package io.csi4j.core.metadata;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A timer that lets a test say when the time has come. */
final class ManualTimer implements ResumingSnapshotMetadata.Timer {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();

    @Override
    public void schedule(Runnable task, Duration delay) {
        pauses.add(delay);
        tasks.add(task);
    }

    List<Duration> pauses() {
        return pauses;
    }

    /** Runs what is due, and what becomes due by that. */
    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
