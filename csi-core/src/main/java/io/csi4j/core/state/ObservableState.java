package io.csi4j.core.state;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * A read-only view of a changing state, with snapshots and watches. Safe for use by many threads.
 *
 * <p>To miss no change between a snapshot and a watch, read {@code snapshot().index()} first, and then watch for
 * changes after that index. If the index is old, the watch may report a change although nothing has changed, but it
 * never misses a change.
 *
 * <pre>{@code
 * void follow(ObservableState state, VolumeKey key) {
 *     StateReader now = state.snapshot();
 *     show(now.volume(key));
 *     state.newerThan(StateScope.volume(key), now.index()).thenRun(() -> follow(state, key));
 * }
 * }</pre>
 */
public interface ObservableState {
    /**
     * Returns a snapshot of the state after the last command. A snapshot never changes and stays valid. Taking a
     * snapshot is cheap, because no data is copied.
     */
    StateReader snapshot();

    /**
     * Waits until a scope has changed after an index.
     *
     * @param scope the part of the state to watch
     * @param index the index of the last state that the caller has read
     * @return a future that completes with an index at which the scope has changed. The thread that writes the change
     *     does not complete the future, so slow continuations do not delay writes. Cancel the future to stop the watch
     */
    CompletableFuture<Long> newerThan(StateScope scope, long index);

    /**
     * Waits until one of several scopes has changed after an index.
     *
     * @param scopes the parts of the state to watch, at least one
     * @param index the index of the last state that the caller has read
     * @return a future that completes as that of {@link #newerThan(StateScope, long)}; cancel it to stop the watch
     * @throws IllegalArgumentException if there is no scope
     */
    default CompletableFuture<Long> newerThan(Collection<StateScope> scopes, long index) {
        if (Objects.requireNonNull(scopes, "scopes").isEmpty()) {
            throw new IllegalArgumentException("ObservableState: there is no scope to watch; name at least one");
        }
        List<CompletableFuture<Long>> each =
                scopes.stream().map(scope -> newerThan(scope, index)).toList();
        CompletableFuture<Long> first = CompletableFuture.anyOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(Long.class::cast);
        var unused = first.whenComplete((at, failure) -> each.forEach(watch -> watch.cancel(false)));
        return first;
    }

    /**
     * Calls a listener whenever a scope changes. One thread at a time calls the listener. One call may report several
     * changes, with the newest index. A slow listener does not delay other listeners.
     *
     * @param scope the part of the state to watch
     * @param index the index of the last state that the caller has read
     * @param listener receives an index at which the scope has changed; a snapshot taken then has at least this index
     * @return an object that can end the subscription
     */
    Subscription subscribe(StateScope scope, long index, LongConsumer listener);

    /**
     * Calls a listener for each changed volume that had remaining work before the change, or has some after it. So the
     * reconciler need not read all volumes. An implementation that does not know which volumes changed calls
     * {@link VolumeListener#anyChanged}.
     *
     * @param index the index of the last state that the caller has read
     * @param listener receives the key of each changed volume; several changes of one volume may be reported by one
     *     call
     * @return an object that can end the subscription
     */
    default Subscription subscribeUnsettled(long index, VolumeListener listener) {
        return subscribe(StateScope.unsettledVolumes(), index, listener::anyChanged);
    }

    /** An object that can end a subscription. Closing it twice has no further effect. */
    interface Subscription extends AutoCloseable {
        /** Ends the subscription. No further call to the listener begins. */
        @Override
        void close();
    }
}
