package io.csi4j.node;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One file for each volume, readable by nobody else, replaced as a whole: written beside, synced, renamed, and the
 * directory synced. One process at a time; a lock file sees to that.
 */
final class FileLedger implements VolumeLedger {
    private static final String RECORD = ".rec";
    private static final String TEMPORARY = ".tmp";
    private static final String ASIDE = ".aside-";
    private static final Set<OpenOption> ANEW =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final boolean sync;
    private final FileChannel lockChannel;

    private FileLedger(Path directory, boolean sync, FileChannel lockChannel) {
        this.directory = directory;
        this.sync = sync;
        this.lockChannel = lockChannel;
    }

    static FileLedger open(Path directory, boolean sync) throws IOException {
        Directories.make(directory);
        FileChannel channel =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            // Held until the channel is closed.
            FileLock lock = channel.tryLock();
            locked = lock != null;
        } catch (OverlappingFileLockException e) {
            locked = false;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        if (!locked) {
            throw new IOException("the ledger in " + directory
                    + " is in use; two processes must not mount in one base directory: stop the other, or give this"
                    + " one a base directory of its own");
        }
        return new FileLedger(directory, sync, channel);
    }

    @Override
    public Contents load() throws IOException {
        List<VolumeEntry> entries = new ArrayList<>();
        List<SetAside> setAside = new ArrayList<>();
        for (Path namespace : list(directory)) {
            if (!Files.isDirectory(namespace)) {
                continue;
            }
            for (Path file : list(namespace)) {
                String name = file.getFileName().toString();
                if (name.endsWith(TEMPORARY)) {
                    Files.delete(file);
                } else if (name.endsWith(RECORD)) {
                    read(file, entries, setAside);
                } else if (name.contains(ASIDE)) {
                    // Was reported when it was set aside; until an operator removes it, its volume stays suspect.
                    setAside.add(new SetAside(
                            volume(file),
                            file + " is still set aside; remove it once the mounts of" + " its volume are in order"));
                }
            }
        }
        return new Contents(List.copyOf(entries), List.copyOf(setAside));
    }

    private void read(Path file, List<VolumeEntry> entries, List<SetAside> setAside) throws IOException {
        String problem;
        try {
            VolumeEntry entry = EntryCodec.decode(Files.readAllBytes(file));
            if (file(entry.key()).equals(file)) {
                entries.add(entry);
                return;
            }
            problem = "it is the record of another volume";
        } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
        }
        Path aside = free(file);
        Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(aside);
        setAside.add(new SetAside(
                volume(file),
                file + " cannot be used: " + problem + "; it was renamed to " + aside.getFileName()
                        + ". What is mounted stays mounted until it is unmounted by name"));
    }

    private static Path free(Path file) {
        int number = 1;
        Path aside = file.resolveSibling(file.getFileName() + ASIDE + number);
        while (Files.exists(aside)) {
            number++;
            aside = file.resolveSibling(file.getFileName() + ASIDE + number);
        }
        return aside;
    }

    private Optional<VolumeKey> volume(Path file) {
        String name = file.getFileName().toString();
        Path parent = file.getParent();
        // An id may hold either ending itself, so that only the last one counts.
        int end = name.endsWith(RECORD) ? name.length() - RECORD.length() : name.lastIndexOf(RECORD + ASIDE);
        if (parent == null || parent.getFileName() == null || end < 0) {
            return Optional.empty();
        }
        Optional<String> namespace = PathName.decode(parent.getFileName().toString());
        Optional<String> id = PathName.decode(name.substring(0, end));
        return namespace.flatMap(ns -> id.map(volume -> new VolumeKey(Namespace.of(ns), VolumeId.of(volume))));
    }

    @Override
    public void save(VolumeEntry entry) throws IOException {
        requireOpen();
        Path file = file(entry.key());
        Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
        ByteBuffer bytes = ByteBuffer.wrap(EntryCodec.encode(entry));
        try (FileChannel channel = anew(temporary)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (sync) {
                channel.force(true);
            }
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(file);
    }

    /** The directory is nearly always there. */
    private FileChannel anew(Path temporary) throws IOException {
        try {
            return FileChannel.open(temporary, ANEW, PRIVATE);
        } catch (NoSuchFileException e) {
            Path namespace = parent(temporary);
            Directories.make(namespace);
            syncDirectory(namespace);
            return FileChannel.open(temporary, ANEW, PRIVATE);
        }
    }

    @Override
    public void remove(VolumeKey key) throws IOException {
        requireOpen();
        Path file = file(key);
        if (Files.deleteIfExists(file)) {
            syncDirectory(file);
        }
    }

    @Override
    public void close() throws IOException {
        lockChannel.close();
    }

    /** Whoever holds the lock now would not know of the write. */
    private void requireOpen() throws IOException {
        if (!lockChannel.isOpen()) {
            throw new IOException("the ledger in " + directory + " is closed");
        }
    }

    private Path file(VolumeKey key) {
        return directory
                .resolve(PathName.of(key.namespace().value()))
                .resolve(PathName.of(key.volumeId().value()) + RECORD);
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalStateException("the record " + file + " is in no directory");
        }
        return parent;
    }

    private void syncDirectory(Path file) throws IOException {
        if (sync) {
            try (FileChannel channel = FileChannel.open(parent(file), StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }
}
