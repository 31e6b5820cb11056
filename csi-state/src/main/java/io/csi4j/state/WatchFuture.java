package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.concurrent.CompletableFuture;

/** A watch that is notified once, by completing a future. */
final class WatchFuture implements Watcher {
    private final CompletableFuture<Long> future = new CompletableFuture<>();
    private final StateScope scope;
    private final Notifier notifier;

    private final long seen;

    private WatchFuture(StateScope scope, long seen, Notifier notifier) {
        this.scope = scope;
        this.seen = seen;
        this.notifier = notifier;
    }

    static CompletableFuture<Long> in(WatchRegistry registry, StateScope scope, long index, Notifier notifier) {
        WatchFuture watcher = new WatchFuture(scope, index, notifier);
        registry.add(watcher, index);
        var unused = watcher.future.whenComplete((at, failure) -> {
            if (failure != null) {
                // Removes the watch, because the caller cancelled the future or it timed out.
                registry.remove(watcher);
            }
        });
        return watcher.future;
    }

    @Override
    public StateScope scope() {
        return scope;
    }

    @Override
    public long seen() {
        return seen;
    }

    @Override
    public void changed(long index) {
        notifier.run(() -> future.complete(index));
    }

    @Override
    public void closed(RuntimeException why) {
        notifier.run(() -> future.completeExceptionally(why));
    }

    @Override
    public boolean once() {
        return true;
    }
}
