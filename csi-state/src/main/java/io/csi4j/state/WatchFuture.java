package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A watch that is notified once, by completing a future. */
final class WatchFuture implements Watcher {
    private final CompletableFuture<Long> future = new CompletableFuture<>();
    private final List<StateScope> scopes;
    private final Notifier notifier;

    private final long index;

    private WatchFuture(List<StateScope> scopes, long index, Notifier notifier) {
        this.scopes = scopes;
        this.index = index;
        this.notifier = notifier;
    }

    static CompletableFuture<Long> in(WatchRegistry registry, List<StateScope> scopes, long index, Notifier notifier) {
        WatchFuture watcher = new WatchFuture(scopes, index, notifier);
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
    public List<StateScope> scopes() {
        return scopes;
    }

    @Override
    public long index() {
        return index;
    }

    @Override
    public void changed(long index) {
        notifier.run(() -> future.complete(index));
    }

    @Override
    public void closed(RuntimeException reason) {
        notifier.run(() -> future.completeExceptionally(reason));
    }

    @Override
    public boolean once() {
        return true;
    }
}
