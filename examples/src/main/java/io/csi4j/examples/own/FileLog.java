package io.csi4j.examples.own;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A command log in a file. One thread writes an entry, flushes it to the disk, applies it to the state, and answers, in this order. After some
 * entries the file {@code state} takes their place.
 */
public final class FileLog implements CommandLog, AutoCloseable {
    private static final int LONGEST = 4 << 20;

    private final Path directory;
    private final int longest;
    private final int entriesBeforeCompaction;
    private final StateStore store;
    private final CommandCodec codec;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> new Thread(task, "own-log"));
    private final EntryFile entries;
    private int count;
    private boolean broken;

    /**
     * Opens the log, and restores the state from its files.
     *
     * @param directory the directory of the files; one log may use it at a time
     * @param options the options of the state, with the cipher of the secrets
     * @param entriesBeforeCompaction the number of entries after which the state is written in their place
     */
    public FileLog(Path directory, StateStoreOptions options, int entriesBeforeCompaction) throws IOException {
        this(directory, options, entriesBeforeCompaction, LONGEST);
    }

    /**
     * Opens a log with other limits.
     *
     * @param longest the largest number of bytes of a command
     */
    FileLog(Path directory, StateStoreOptions options, int entriesBeforeCompaction, int longest) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.longest = longest;
        this.entriesBeforeCompaction = entriesBeforeCompaction;
        this.store = StateStore.create(options);
        this.codec = CommandCodec.of(options);
        if (Files.exists(file("state"))) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file("state")))) {
                store.restore(in);
            }
        }
        entries = new EntryFile(file("entries"));
        count = entries.replay(this::apply);
        syncNames();
    }

    /** Applies an entry. Those of before a compaction are in the state already, if the server died in the middle of it. */
    private void apply(long index, byte[] encoded) {
        if (index > store.snapshot().index()) {
            store.applyAt(index, codec.decodeCommand(encoded));
        }
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    // DOC
    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        Objects.requireNonNull(command, "command");
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        try {
            writer.execute(() -> write(command, answer));
        } catch (RejectedExecutionException closed) {
            answer.completeExceptionally(new LogClosedException("the log in " + directory));
        }
        return answer;
    }

    private void write(Command command, CompletableFuture<Outcome> answer) {
        byte[] encoded;
        try {
            encoded = encoded(command);
        } catch (CsiException refused) {
            answer.completeExceptionally(refused); // Nothing is written.
            return;
        }
        Outcome outcome;
        try {
            if (broken) {
                throw new IOException("an earlier write failed; restart the server");
            }
            long index = store.snapshot().index() + 1;
            broken = true;
            entries.append(index, encoded); // durable, with FileChannel.force,
            count++;
            outcome = store.applyAt(index, command); // then visible,
            compact();
            broken = false;
        } catch (IOException | RuntimeException e) {
            answer.completeExceptionally(
                    new CsiException("the log in " + directory + " failed; the command may be stored", e));
            return;
        }
        answer.complete(outcome); // then answered.
    }
    // DOC

    private byte[] encoded(Command command) {
        byte[] encoded = codec.encodeCommand(command);
        if (encoded.length > longest) {
            throw new CommandTooLargeException(command.getClass().getSimpleName() + " has " + encoded.length
                    + " bytes, and an entry of the log at most " + longest + "; split it");
        }
        return encoded;
    }

    /** Writes the state beside, durable, renames it, and then empties the file of entries. */
    private void compact() throws IOException {
        if (count < entriesBeforeCompaction) {
            return;
        }
        try (FileChannel beside = FileChannel.open(
                        file("state.new"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
                OutputStream out = new BufferedOutputStream(Channels.newOutputStream(beside))) {
            store.encode(out);
            out.flush();
            beside.force(true);
        }
        Files.move(file("state.new"), file("state"), StandardCopyOption.ATOMIC_MOVE);
        syncNames();
        entries.clear();
        count = 0;
    }

    /** Makes the names of the files durable. */
    private void syncNames() throws IOException {
        try (FileChannel names = FileChannel.open(directory)) {
            names.force(true);
        }
    }

    /** Returns the number of bytes of the entries that a power failure leaves. */
    long durableEntries() {
        return entries.durable();
    }

    @Override
    public StateStore state() {
        return store;
    }

    /** Writes the commands that were submitted, and closes the files. Later commands fail. */
    @Override
    public void close() throws IOException {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(20, TimeUnit.SECONDS)) {
                throw new IOException("the log in " + directory + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        entries.close();
        store.close();
    }
}
