package io.csi4j.examples.own;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
import java.util.zip.CRC32;

/**
 * A command log in a file. One thread writes an entry, flushes it to the disk, applies it to the state, and answers, in this order. Each entry
 * has its length, a checksum and the index of its command. After some entries the file {@code state} takes their place.
 */
public final class FileLog implements CommandLog, AutoCloseable {
    private static final int HEADER = 16;
    private static final int LONGEST = 4 << 20;

    private final Path directory;
    private final int entriesBeforeCompaction;
    private final StateStore store;
    private final CommandCodec codec;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> new Thread(task, "own-log"));
    private final FileChannel entries;
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
        this.directory = Files.createDirectories(directory);
        this.entriesBeforeCompaction = entriesBeforeCompaction;
        this.store = StateStore.create(options);
        this.codec = CommandCodec.of(options);
        if (Files.exists(file("state"))) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file("state")))) {
                store.restore(in);
            }
        }
        entries = FileChannel.open(
                file("entries"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        replay();
        syncNames();
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
        Outcome outcome;
        try {
            if (broken) {
                throw new IOException("an earlier write failed; restart the server");
            }
            long index = store.snapshot().index() + 1;
            byte[] encoded = codec.encodeCommand(command);
            broken = true;
            append(index, encoded); // durable, with FileChannel.force,
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

    private void append(long index, byte[] encoded) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(HEADER + encoded.length);
        entry.putInt(encoded.length)
                .putInt(checksum(index, encoded))
                .putLong(index)
                .put(encoded)
                .flip();
        while (entry.hasRemaining()) {
            entries.write(entry);
        }
        entries.force(true);
        count++;
    }

    private static int checksum(long index, byte[] encoded) {
        CRC32 checksum = new CRC32();
        checksum.update(ByteBuffer.allocate(Long.BYTES).putLong(index).flip());
        checksum.update(encoded);
        return (int) checksum.getValue();
    }

    /** Applies the entries after the restored state. Cuts off an entry at the end that was not written completely. */
    private void replay() throws IOException {
        long position = 0;
        long size = entries.size();
        while (position < size) {
            ByteBuffer header = read(position, Math.min(HEADER, size - position));
            int length = header.remaining() < HEADER ? LONGEST : header.getInt();
            long end = position + HEADER + length;
            if (length < 0 || length > LONGEST || end > size) {
                break;
            }
            int checksum = header.getInt();
            long index = header.getLong();
            byte[] encoded = read(position + HEADER, length).array();
            if (checksum != checksum(index, encoded)) {
                if (end < size) {
                    throw new IOException(
                            file("entries") + " is damaged at byte " + position + "; restore it from a backup");
                }
                break;
            }
            // The entries of before a compaction are in the state already, if the server died in the middle of it.
            if (index > store.snapshot().index()) {
                store.applyAt(index, codec.decodeCommand(encoded));
            }
            count++;
            position = end;
        }
        entries.truncate(position).position(position);
        entries.force(true);
    }

    private ByteBuffer read(long position, long bytes) throws IOException {
        ByteBuffer read = ByteBuffer.allocate((int) bytes);
        while (read.hasRemaining() && entries.read(read, position + read.position()) >= 0) {
            // reads on
        }
        return read.flip();
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
        entries.truncate(0).position(0);
        entries.force(true);
        count = 0;
    }

    /** Makes the names of the files durable. */
    private void syncNames() throws IOException {
        try (FileChannel names = FileChannel.open(directory)) {
            names.force(true);
        }
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
