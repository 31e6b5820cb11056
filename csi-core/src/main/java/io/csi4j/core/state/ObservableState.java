package io.csi4j.core.state;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * A state that changes, as those see it who only read: they take snapshots, and are told when there is
 * something new. Safe for use by many threads.
 *
 * <p>No change is missed between a snapshot and a watch: read {@code snapshot().index()} first, then ask for what
 * is newer than that. A watch may fire once without need if the index it was given is old; it never fires too late.
 *
 * <pre>{@code
 * void follow(ObservableState state, VolumeKey key) {
 *     StateReader now = state.snapshot();
 *     look(now.volume(key));
 *     state.newerThan(StateScope.volume(key), now.index()).thenRun(() -> follow(state, key));
 * }
 * }</pre>
 */
public interface ObservableState {
    /**
     * The state as of the last command. Costs nothing, stays valid for ever and never changes.
     *
     * @return the snapshot
     */
    StateReader snapshot();

    /**
     * Tells when something in a scope is newer than an index.
     *
     * @param scope what to watch
     * @param index what the caller has seen
     * @return completed, on another thread than the writer's, with an index at which it is so; cancel it to stop
     *     watching
     */
    CompletableFuture<Long> newerThan(StateScope scope, long index);

    /**
     * Tells again and again when something in a scope is new. A listener that is slow is told of many changes at
     * once, by the newest index; it delays nobody, and is called by one thread at a time.
     *
     * @param scope what to watch
     * @param index what the caller has seen
     * @param listener gets an index at which something is new; take a snapshot, it is at least that new
     * @return what ends the subscription
     */
    Subscription subscribe(StateScope scope, long index, LongConsumer listener);

    /**
     * Tells again and again which volumes changed for which something remains, or remained, to be done: so whoever
     * brings them to rest looks at those only, however many there are. A state that does not know which ones says so.
     *
     * @param index what the caller has seen
     * @param listener is told of each such volume; of one that changes again before it was told, possibly once
     * @return what ends the subscription
     */
    default Subscription subscribeUnsettled(long index, VolumeListener listener) {
        return subscribe(StateScope.unsettledVolumes(), index, listener::anyChanged);
    }

    /** A subscription; closing it twice is harmless. */
    interface Subscription extends AutoCloseable {
        /** Ends it: a call that has not begun is not made any more. */
        @Override
        void close();
    }
}
