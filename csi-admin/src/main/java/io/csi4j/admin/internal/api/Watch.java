package io.csi4j.admin.internal.api;

import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Waits until one of several parts of the state has changed after an index. Not thread-safe, except {@link #end}. */
final class Watch {
    /** With more parts, whole tables are watched, so that a waiting request stays small. */
    private static final int PARTS = 16;

    private final ObservableState state;
    private final long index;
    private final CompletableFuture<Long> newer = new CompletableFuture<>();

    Watch(ObservableState state, long index) {
        this.state = state;
        this.index = index;
    }

    /** Adds parts. Returns whether one has changed. */
    boolean add(List<StateScope> parts) {
        for (StateScope part : few(parts)) {
            CompletableFuture<Long> changed = state.newerThan(part, index);
            var unusedWake = changed.thenAccept(newer::complete);
            if (newer.isDone()) {
                changed.cancel(false);
                return true;
            }
            var unusedEnd = newer.whenComplete((at, failure) -> changed.cancel(false));
        }
        return newer.isDone();
    }

    private static List<StateScope> few(List<StateScope> parts) {
        List<StateScope> different = parts.stream().distinct().toList();
        return different.size() <= PARTS
                ? different
                : different.stream()
                        .map(part -> StateScope.of(part.table()))
                        .distinct()
                        .toList();
    }

    /** Returns a future that completes when one of the parts has changed. */
    CompletableFuture<Long> newer() {
        return newer;
    }

    /** Ends all watches. */
    void end() {
        newer.cancel(false);
    }
}
