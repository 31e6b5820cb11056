package io.csi4j.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** How the file of a record is written, so that what was written is there after a crash. */
final class RecordFile {
    static final String TEMPORARY = ".tmp";
    private static final int BLOCK = 4096;
    /** As many are written while a volume comes and goes. */
    private static final int FRAMES = 6;

    private static final Set<OpenOption> ANEW =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    private static final Set<OpenOption> MADE = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final boolean sync;

    RecordFile(boolean sync) {
        this.sync = sync;
    }

    /**
     * What is in a file.
     *
     * @param end where the next frame begins
     * @param length of the file; from its end on there are zeros, so that to write there changes nothing but what is
     *     written, and costs a file system no more than that
     */
    record Extent(long end, long length) {
        private Extent with(int frame) {
            long needed = end + frame;
            return new Extent(needed, needed <= length ? length : roomy(needed + (FRAMES - 1L) * frame));
        }

        private static long roomy(long bytes) {
            return (bytes + BLOCK - 1) / BLOCK * BLOCK;
        }
    }

    /**
     * As a whole. One that is not there is made in its place: until it and its directory are synced nobody is told of it,
     * and what is there of it after a crash {@linkplain RecordFrames was never said}. One that is there stays until the
     * new one, written beside it and synced, takes its place.
     */
    Extent replace(Path file, byte[] frame) throws IOException {
        Extent written = new Extent(0, 0).with(frame.length);
        byte[] content = Arrays.copyOf(frame, (int) written.length());
        if (!isMade(file, content)) {
            Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
            try (FileChannel channel = FileChannel.open(temporary, ANEW, PRIVATE)) {
                write(channel, 0, content);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
        syncDirectory(file);
        return written;
    }

    /** False: there is one. */
    private boolean isMade(Path file, byte[] content) throws IOException {
        try (FileChannel channel = made(file)) {
            try {
                write(channel, 0, content);
            } catch (IOException e) {
                takeBack(channel, 0, e);
                throw e;
            }
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** The directory is nearly always there. */
    private FileChannel made(Path file) throws IOException {
        try {
            return FileChannel.open(file, MADE, PRIVATE);
        } catch (NoSuchFileException e) {
            Path namespace = parent(file);
            Directories.make(namespace);
            syncDirectory(namespace);
            return FileChannel.open(file, MADE, PRIVATE);
        }
    }

    /**
     * Adds to a file and syncs it, which is much less work for a disk than to replace it.
     *
     * @return false: the file is not there, or not as long as it should be, and nothing was written
     * @throws IOException if it could not be written; what was added is taken back, if that can be done
     */
    Optional<Extent> append(Path file, Extent known, byte[] frame) throws IOException {
        Extent written = known.with(frame.length);
        boolean fits = written.length() == known.length();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.size() != known.length()) {
                return Optional.empty();
            }
            try {
                write(
                        channel,
                        known.end(),
                        fits ? frame : Arrays.copyOf(frame, (int) (written.length() - known.end())));
            } catch (IOException e) {
                takeBack(channel, known.end(), e);
                throw e;
            }
            return Optional.of(written);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Who is told that it was not written should not find it at the next start. */
    private static void takeBack(FileChannel channel, long length, IOException error) {
        try {
            channel.truncate(length);
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    private void write(FileChannel channel, long from, byte[] content) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
            channel.write(bytes, from + bytes.position());
        }
        if (sync) {
            // The length is synced too, or what was written could not be found; times need not be.
            channel.force(false);
        }
    }

    /** Has the directory of a file know what it holds. */
    void syncDirectory(Path file) throws IOException {
        sync(parent(file));
    }

    void sync(Path path) throws IOException {
        if (sync) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalStateException("the record " + file + " is in no directory");
        }
        return parent;
    }
}
