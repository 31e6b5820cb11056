package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.apply.CommandApplication;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * The state in memory. Readers take snapshots and never wait. There is one writer at a time; all changes of a commit become visible at
 * once. Thread-safe.
 *
 * <p>A commit makes the new root visible, notifies the watchers, and frees the lock, in this order. A notified change is therefore always
 * readable, and the next writer begins after the notifications of the previous one.
 */
public final class StateStore implements ObservableState, AutoCloseable {
    private static final int SPINS = 500;

    private final StateStoreOptions options;
    private final boolean encodable;
    private final Notifier notifier;
    /** The lock of the writer; fair, so that writers get it in the order in which they asked for it. */
    private final ReentrantLock writing = new ReentrantLock(true);

    private final Sharer sharer = new Sharer();
    private final WatchRegistry watches = new WatchRegistry(0);
    private volatile StateSnapshot root = new StateSnapshot(new Tables());
    private volatile boolean closed;

    private StateStore(StateStoreOptions options, boolean encodable) {
        this.options = options;
        this.encodable = encodable;
        this.notifier = Notifier.of(options.watchExecutor().orElse(null));
    }

    /** Returns an empty store for a state that is lost with the process: it cannot be encoded, and needs no cipher. */
    public static StateStore inMemory() {
        return inMemory(StateStoreOptions.ofDefaults());
    }

    /**
     * Returns an empty store for a state that is lost with the process, as {@link #inMemory()}.
     *
     * @param options the options; their cipher only decrypts a state that is {@linkplain #restore restored}
     */
    public static StateStore inMemory(StateStoreOptions options) {
        return new StateStore(Objects.requireNonNull(options, "options"), false);
    }

    /**
     * Returns an empty store.
     *
     * @param options options with a cipher
     * @throws IllegalArgumentException if there is no cipher: without one, the first backup of a state with secrets,
     *     contexts, mount flags or parameters would fail
     */
    public static StateStore create(StateStoreOptions options) {
        Objects.requireNonNull(options, "options");
        if (options.secretsCipher().isEmpty()) {
            throw new IllegalArgumentException("StateStore: options have no secretsCipher, so the state could not be"
                    + " written to a disk; set one, for example an AesGcmSecretsCipher, or call inMemory for a state"
                    + " that never leaves the process");
        }
        return new StateStore(options, true);
    }

    @Override
    public StateReader snapshot() {
        return root;
    }

    /**
     * Applies a command with the next index, for a host without its own command log.
     *
     * @return the outcome; after a rejection only the index has changed
     * @throws WriteTimeoutException if another writer did not finish in time
     * @throws IllegalStateException if this thread has a transaction open, or the store is closed
     */
    public Outcome apply(Command command) {
        Objects.requireNonNull(command, "command");
        return apply(0, command);
    }

    /**
     * Applies a command of a command log. Two stores that apply the same commands have the same state.
     *
     * @param index the index of the command, above that of the state
     * @return the outcome; after a rejection only the index has changed
     * @throws IllegalArgumentException if the index is not above that of the state, because the command was applied before
     * @throws WriteTimeoutException if another writer did not finish in time
     * @throws IllegalStateException if this thread has a transaction open, or the store is closed
     */
    public Outcome applyAt(long index, Command command) {
        Objects.requireNonNull(command, "command");
        if (index <= 0) {
            throw new IllegalArgumentException("StateStore: index is " + index + "; the first command has index 1");
        }
        return apply(index, command);
    }

    private Outcome apply(long given, Command command) {
        Objects.requireNonNull(command, "command");
        try (WriteTransaction transaction = begin(options.writeTimeout())) {
            long at = transaction.index();
            long index = given == 0 ? at + 1 : given;
            if (index <= at) {
                throw new IllegalArgumentException("StateStore: index " + index + " is not above " + at
                        + ", the state's: the command was applied before; apply commands in the order of the log");
            }
            Outcome outcome = CommandApplication.apply(transaction, index, command);
            if (outcome instanceof Outcome.Accepted accepted && accepted.changed()) {
                transaction.commit(index);
            } else {
                transaction.skip(index);
            }
            return outcome;
        }
    }

    /**
     * Begins a write transaction for this thread. The caller has to close it, best with try-with-resources.
     *
     * @param timeout the longest time to wait for another writer
     * @throws WriteTimeoutException if another writer did not finish in time
     * @throws CsiException if the thread was interrupted while it waited; the interrupt stays set
     * @throws IllegalStateException if this thread has a transaction open, or the store is closed
     */
    public WriteTransaction begin(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        lock(timeout);
        return new WriteTransaction(this, root.tables(), sharer);
    }

    private void lock(Duration timeout) {
        if (writing.isHeldByCurrentThread()) {
            throw new IllegalStateException("StateStore: thread "
                    + Thread.currentThread().getName() + " has a write transaction open; end it first");
        }
        try {
            if (!spun() && !writing.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new WriteTimeoutException("StateStore: another writer did not finish within "
                        + Durations.text(timeout) + "; nothing was changed, try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CsiException("StateStore: interrupted while waiting for another writer; nothing was changed", e);
        }
        if (closed) {
            writing.unlock();
            throw isClosed();
        }
    }

    /**
     * Tries to take the lock a few times without sleeping, because most commands take less time than a sleep. Does not try if another
     * thread waits already, because that thread is the next one.
     */
    private boolean spun() {
        for (int i = 0; i < SPINS && !writing.hasQueuedThreads(); i++) {
            if (writing.tryLock()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    void publish(Tables tables, Touched touched) {
        try {
            watches.publishing(tables.index);
            root = new StateSnapshot(tables);
            if (!touched.isEmpty()) {
                watches.committed(tables.index, touched);
            }
        } finally {
            writing.unlock();
        }
    }

    void abort() {
        writing.unlock();
    }

    /**
     * Writes the present state without blocking writers. Equal states give equal bytes. Flushes the stream and leaves it open.
     *
     * @param out the stream; best buffered
     * @return the index of the written state
     * @throws IOException if the stream fails
     * @throws CsiException if the cipher fails; the output is then unusable
     * @throws IllegalStateException if the store is {@linkplain #inMemory() in memory only}
     */
    public long encode(OutputStream out) throws IOException {
        Objects.requireNonNull(out, "out");
        return encode(root, out);
    }

    /**
     * Writes a snapshot.
     *
     * @param snapshot a snapshot of a store
     * @param out the stream; best buffered
     * @return the index of the written state
     * @throws IOException if the stream fails
     * @throws IllegalArgumentException if {@code snapshot} is not a snapshot of a {@link StateStore}
     * @throws CsiException if the cipher fails; the output is then unusable
     * @throws IllegalStateException if the store is {@linkplain #inMemory() in memory only}
     */
    public long encode(StateReader snapshot, OutputStream out) throws IOException {
        Objects.requireNonNull(snapshot, "snapshot");
        Objects.requireNonNull(out, "out");
        if (!encodable) {
            throw new IllegalStateException(
                    "StateStore: the store is in memory only; make it with StateStore.create" + " and a secretsCipher");
        }
        if (!(snapshot instanceof StateSnapshot version)) {
            throw new IllegalArgumentException(
                    "StateStore: " + snapshot + " is not a snapshot; use what snapshot() gave");
        }
        StateEncoder.encode(version.tables(), out, options.secretsCipher().orElse(null));
        return version.index();
    }

    /**
     * Replaces the state by an encoded state of this or an older version, and notifies all watchers. The state is replaced only after the
     * new one was read completely; if reading fails, the present state remains. Leaves the stream open.
     *
     * <p>Take a new snapshot after a restore, and watch from its index. A watch with an index from before the restore
     * is notified at once while the restored state has a lower index; later, the store cannot distinguish old indexes
     * from new ones.
     *
     * @param in the stream; best buffered
     * @return the index of the restored state
     * @throws IOException if the stream fails
     * @throws StateFormatException if the encoding is incomplete or damaged; the message has the position and the problem
     * @throws CsiException if encrypted values cannot be decrypted; the message names the missing key
     * @throws WriteTimeoutException if another writer did not finish in time
     * @throws IllegalStateException if this thread has a transaction open, or the store is closed
     */
    public long restore(InputStream in) throws IOException {
        Objects.requireNonNull(in, "in");
        Tables tables = StateDecoder.decode(in, options.secretsCipher().orElse(null));
        lock(options.writeTimeout());
        try {
            watches.publishing(tables.index);
            root = new StateSnapshot(tables);
            watches.replaced(tables.index);
        } finally {
            writing.unlock();
        }
        return tables.index;
    }

    @Override
    public CompletableFuture<Long> newerThan(StateScope scope, long index) {
        if (closed) {
            throw isClosed();
        }
        return WatchFuture.in(watches, List.of(Objects.requireNonNull(scope, "scope")), index, notifier);
    }

    @Override
    public CompletableFuture<Long> newerThan(Collection<StateScope> scopes, long index) {
        if (closed) {
            throw isClosed();
        }
        List<StateScope> each =
                Objects.requireNonNull(scopes, "scopes").stream().distinct().toList();
        if (each.isEmpty()) {
            throw new IllegalArgumentException("StateStore: there is no scope to watch; name at least one");
        }
        return WatchFuture.in(watches, each, index, notifier);
    }

    @Override
    public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
        if (closed) {
            throw isClosed();
        }
        WatchSubscription subscription = new WatchSubscription(
                watches,
                Objects.requireNonNull(scope, "scope"),
                index,
                Objects.requireNonNull(listener, "listener"),
                notifier);
        watches.add(subscription, index);
        return subscription;
    }

    @Override
    public Subscription subscribeUnsettled(long index, VolumeListener listener) {
        if (closed) {
            throw isClosed();
        }
        VolumeSubscription subscription =
                new VolumeSubscription(watches, index, Objects.requireNonNull(listener, "listener"), notifier);
        watches.add(subscription, index);
        return subscription;
    }

    int watchCount() {
        return watches.size();
    }

    /**
     * Ends all watches and rejects further writes; snapshots stay valid. Further calls have no effect. Waits for the writer.
     *
     * @throws IllegalStateException if this thread has a transaction open
     */
    @Override
    public void close() {
        if (writing.isHeldByCurrentThread()) {
            throw new IllegalStateException("StateStore: end the write transaction before the store is closed");
        }
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                watches.close(isClosed());
                notifier.close();
            }
        } finally {
            writing.unlock();
        }
    }

    private static IllegalStateException isClosed() {
        return new StoreClosedException();
    }
}
