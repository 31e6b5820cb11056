package io.csi4j.testkit.internal.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Records as files in a directory that several processes may share; each operation holds the file lock. */
public final class FileStore implements Store {
    /** A file lock excludes other processes only, so each directory also has a lock within this process. */
    private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private final Path directory;
    private final ReentrantLock lock;
    private final String label;
    private Consumer<RecordFields> recovery = intent -> {
        throw new IllegalStateException("no code here recovers " + intent.text("op"));
    };

    /**
     * Opens a directory, and creates it if needed.
     *
     * @param directory the directory of the records
     * @param label the label for a new directory; not used if the directory has a label already
     */
    public FileStore(Path directory, String label) {
        try {
            Files.createDirectories(directory);
            this.directory = directory.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the state directory " + directory + ": " + e, e);
        }
        this.lock = LOCKS.computeIfAbsent(this.directory, path -> new ReentrantLock());
        this.label = exclusively(() -> {
            Path file = this.directory.resolve("format");
            if (!Files.exists(file)) {
                RecordFile.write(file, "format", new RecordFields().put("label", label));
            }
            return read(file, "format").text("label");
        });
    }

    @Override
    public <T> Table<T> table(String name, Codec<T> codec, ToLongFunction<T> size, List<Index<T>> indexes) {
        return new FileTable<>(directory.resolve(name), codec, size);
    }

    @Override
    public <R> R locked(Supplier<R> work) {
        if (lock.isHeldByCurrentThread()) {
            return work.get();
        }
        return exclusively(() -> {
            Path intent = intentFile();
            if (Files.exists(intent)) {
                recovery.accept(read(intent, "intent"));
                done();
            }
            return work.get();
        });
    }

    private <R> R exclusively(Supplier<R> work) {
        lock.lock();
        try (FileChannel channel = FileChannel.open(
                        directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (!held.isValid()) {
                throw new IOException("the lock was lost");
            }
            return work.get();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock the state directory " + directory + ": " + e, e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onRecovery(Consumer<RecordFields> newRecovery) {
        recovery = newRecovery;
    }

    @Override
    public void begin(RecordFields intent) {
        Checkpoint.reached();
        RecordFile.write(intentFile(), "intent", intent);
        Checkpoint.reached();
    }

    @Override
    public void done() {
        Checkpoint.reached();
        RecordFile.delete(intentFile());
        Checkpoint.reached();
    }

    @Override
    public long nextNumber() {
        Path file = directory.resolve("number");
        long next = Files.exists(file) ? read(file, "number").number("last") + 1 : 1;
        RecordFile.write(file, "number", new RecordFields().put("last", next));
        return next;
    }

    @Override
    public String label() {
        return label;
    }

    /**
     * Returns a store with its own lock in a subdirectory.
     *
     * @param group the subdirectory
     * @param key the subject of the store; any text
     */
    public FileStore below(String group, String key) {
        return new FileStore(directory.resolve(group).resolve(FileTable.fileName(key)), label);
    }

    /** Returns the directory of the records, as an absolute path without links. */
    public Path directory() {
        return directory;
    }

    private Path intentFile() {
        return directory.resolve("intent");
    }

    private static RecordFields read(Path file, String kind) {
        try {
            return RecordFile.read(file, kind);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e + "; check the state directory", e);
        }
    }
}
