package io.csi4j.testkit.internal.store;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Records in memory; they end with the process. */
public final class MemoryStore implements Store {
    private final ReentrantLock lock;
    private final AtomicLong numbers = new AtomicLong();
    private final String label;

    /**
     * Creates an empty store.
     *
     * @param label see {@link Store#label()}
     * @param lock the lock that all stores of one storage share
     */
    public MemoryStore(String label, ReentrantLock lock) {
        this.label = label;
        this.lock = lock;
    }

    @Override
    public <T> Table<T> table(String name, Codec<T> codec, ToLongFunction<T> size, List<Index<T>> indexes) {
        return new MemoryTable<>(size, indexes);
    }

    @Override
    public <R> R locked(Supplier<R> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onRecovery(Consumer<RecordFields> recovery) {}

    @Override
    public void begin(RecordFields intent) {}

    @Override
    public void done() {}

    @Override
    public long nextNumber() {
        return numbers.incrementAndGet();
    }

    @Override
    public String label() {
        return label;
    }
}
