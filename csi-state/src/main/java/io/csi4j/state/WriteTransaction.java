package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A write transaction; at most one is open at a time. Its reads return its own writes, which others can read after the commit. Only the
 * thread that began it may use it, until {@link #commit} or {@link #close}; otherwise every call throws an {@link IllegalStateException}.
 *
 * <p>A transaction checks no rules: {@link io.csi4j.core.internal.apply.CommandApplication}, which {@link StateStore#apply} calls, decides the
 * effects of commands. Use a transaction directly only for tests and repairs.
 */
@SuppressWarnings("exports") // Hosts need not know the interface for the application of commands.
public final class WriteTransaction extends TableReader implements WritableState, AutoCloseable {
    private final StateStore store;
    private final Tables base;
    private final TableWriter writer;
    private final Thread owner = Thread.currentThread();
    private boolean ended;

    WriteTransaction(StateStore store, Tables base, Sharer sharer) {
        this.store = store;
        this.base = base;
        this.writer = new TableWriter(base, sharer);
    }

    /**
     * Makes all changes visible at once, notifies watchers, and ends the transaction.
     *
     * @param index the index of the new state, above that of the state before
     * @throws IllegalArgumentException if the index is not above that of the state; the transaction stays open
     */
    public void commit(long index) {
        check();
        if (index <= base.index) {
            throw new IllegalArgumentException("WriteTransaction: index " + index + " is not above " + base.index
                    + ", the state's; apply commands in the order of the log");
        }
        writer.volumes.flush();
        ended = true;
        writer.tables.index = index;
        store.publish(writer.tables, writer.touched);
    }

    /** Drops all changes, but advances the index, because the log has a rejected command at this index. */
    void skip(long index) {
        check();
        ended = true;
        Tables same = new Tables(base);
        same.index = index;
        store.publish(same, new Touched());
    }

    /** Drops all changes, unless they were committed. Further calls have no effect. */
    @Override
    public void close() {
        if (!owner.equals(Thread.currentThread())) {
            throw wrongThread();
        }
        if (!ended) {
            ended = true;
            store.abort();
        }
    }

    @Override
    public void putVolume(Volume volume) {
        check();
        writer.volumes.put(volume);
    }

    @Override
    public void removeVolume(VolumeKey key) {
        check();
        writer.volumes.remove(key);
    }

    @Override
    public <K, R> void put(RowType<K, R> type, R row) {
        check();
        writer.put(type, row);
    }

    @Override
    public <K, R> void remove(RowType<K, R> type, K key) {
        check();
        writer.remove(type, key);
    }

    /** // Remembers the path to the volume, because a volume that is looked up is usually written next. */
    @Override
    @Nullable Volume find(VolumeKey key) {
        check();
        return writer.volumes.find(key);
    }

    @Override
    Tables tables() {
        check();
        return writer.tables;
    }

    @Override
    Tables indexed() {
        check();
        writer.volumes.flush();
        return writer.tables;
    }

    @Override
    Tables walked() {
        check();
        writer.volumes.flush();
        writer.freeze();
        return writer.tables;
    }

    private void check() {
        if (!owner.equals(Thread.currentThread())) {
            throw wrongThread();
        }
        if (ended) {
            throw new IllegalStateException("WriteTransaction: it has ended; begin a new one");
        }
    }

    private IllegalStateException wrongThread() {
        return new IllegalStateException("WriteTransaction: it belongs to thread " + owner.getName() + ", not to "
                + Thread.currentThread().getName() + "; use it only where it was begun");
    }

    @Override
    public String toString() {
        return "WriteTransaction[index=" + base.index + ", owner=" + Objects.toString(owner.getName()) + "]";
    }
}
