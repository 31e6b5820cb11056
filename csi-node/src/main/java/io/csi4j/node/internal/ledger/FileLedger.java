package io.csi4j.node.internal.ledger;

import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The ledger of a node as a directory: one {@link DurableFile} for each volume, in a directory for its namespace. A lock
 * file keeps other processes out.
 */
public final class FileLedger implements VolumeLedger {
    private static final String RECORD = ".rec";
    private static final String ASIDE = ".aside-";
    private static final int VERSION = 1;

    /**
     * The name of the lock file. It begins with a dot to differ from the directories of the namespaces, whose names
     * never do.
     */
    private static final String LOCK = ".lock";
    /**
     * The ledger directories that are open in this process. A second ledger for the same directory is rejected: closing
     * its lock file would also release the lock of the first ledger. The set has weak references, so that a ledger that
     * was never closed leaves the set when it is garbage collected.
     */
    private static final Set<Path> OPEN = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Path directory;
    private final DurableFile<FileProto.VolumeRecord> files;
    private final FileChannel lockChannel;

    private FileLedger(Path directory, DurableFile<FileProto.VolumeRecord> files, FileChannel lockChannel) {
        this.directory = directory;
        this.files = files;
        this.lockChannel = lockChannel;
    }

    public static FileLedger open(Path directory, boolean sync) throws IOException {
        DurableFile<FileProto.VolumeRecord> files =
                DurableFile.of("volume", VERSION, FileProto.VolumeRecord.parser(), sync);
        Path absolute = directory.toAbsolutePath();
        Path parent = Objects.requireNonNull(absolute.getParent(), "the directory of the ledger's directory");
        DurableDirectories.make(parent);
        // Plugins may write in the parent, but not above it: only the ledger's own name must not be a link.
        Path real = parent.toRealPath().resolve(absolute.getFileName());
        if (StrictPaths.attributes(real).isEmpty()) {
            syncAbove(files, parent.toRealPath());
        }
        DurableDirectories.makeStrictly(real);
        files.sync(parent);
        Optional<FileChannel> channel = OPEN.add(real) ? locked(real) : Optional.empty();
        return new FileLedger(
                real,
                files,
                channel.orElseThrow(() -> new IOException("the ledger in " + directory
                        + " is in use; two processes must not mount in one base directory: stop the other, or give this"
                        + " one a base directory of its own")));
    }

    /**
     * Syncs the names of a directory and of those above it, which may be new: a power failure must not take the ledger away.
     * The content that a plugin keeps for inline volumes outlives it. The ledger's own directory is made after this, so its absence tells
     * a later process that this did not end.
     */
    private static void syncAbove(DurableFile<FileProto.VolumeRecord> files, Path directory) throws IOException {
        for (Path above = directory.getParent(); above != null; above = above.getParent()) {
            try {
                files.sync(above);
            } catch (AccessDeniedException e) {
                // This user has made nothing in a directory that it cannot read, nor above.
                return;
            }
        }
    }

    /** Locks the directory until the returned channel is closed; empty if another process has the lock. */
    private static Optional<FileChannel> locked(Path directory) throws IOException {
        boolean locked = false;
        try {
            FileChannel channel = StrictPaths.call(
                    directory.resolve(LOCK),
                    file -> FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            try {
                FileLock lock = channel.tryLock();
                locked = lock != null;
            } catch (OverlappingFileLockException e) {
                // This process itself has the lock, because it opened the same directory through another path.
                locked = false;
            } finally {
                if (!locked) {
                    channel.close();
                }
            }
            return locked ? Optional.of(channel) : Optional.empty();
        } finally {
            if (!locked) {
                OPEN.remove(directory);
            }
        }
    }

    @Override
    public Contents load() throws IOException {
        List<VolumeEntry> entries = new ArrayList<>();
        List<SetAside> setAside = new ArrayList<>();
        // Syncs the directory, because an earlier process may have been killed between the rename of a file and the
        // sync of its directory.
        sync(directory);
        for (Path namespace : StrictPaths.list(directory)) {
            if (!isDirectory(namespace)) {
                continue;
            }
            sync(namespace);
            for (Path file : StrictPaths.list(namespace)) {
                String name = file.getFileName().toString();
                if (name.endsWith(DurableFile.TEMPORARY)) {
                    boolean unused = StrictPaths.call(file, Files::deleteIfExists);
                } else if (name.endsWith(RECORD)) {
                    read(namespace, file, entries, setAside);
                } else if (name.contains(ASIDE)) {
                    // An earlier start has moved this file aside. The file is reported at each start until an operator
                    // removes it, because the state of its volume is uncertain.
                    setAside.add(new SetAside(
                            volume(file),
                            file + " is still set aside; remove it once the mounts of its volume are in order"));
                }
            }
        }
        return new Contents(List.copyOf(entries), List.copyOf(setAside));
    }

    private void read(Path namespace, Path file, List<VolumeEntry> entries, List<SetAside> setAside)
            throws IOException {
        String problem;
        try {
            VolumeEntry entry = EntryCodec.decode(StrictPaths.call(file, strict -> {
                if (!Files.readAttributes(strict, BasicFileAttributes.class).isRegularFile()) {
                    throw new UnusableFileException("it is no regular file");
                }
                return files.read(strict);
            }));
            if (!file(entry.key()).equals(file)) {
                throw new UnusableFileException("it is the record of another volume");
            }
            entries.add(entry);
            return;
        } catch (UnusableFileException e) {
            // Moves only an unusable file aside. Any other IOException ends the load, because the file may be readable
            // later.
            problem = String.valueOf(e.getMessage());
        }
        Path aside = free(file);
        Path name = aside.getFileName();
        Path unused = StrictPaths.call(
                file, strict -> Files.move(strict, strict.resolveSibling(name), StandardCopyOption.ATOMIC_MOVE));
        sync(namespace);
        setAside.add(new SetAside(
                volume(file),
                file + " cannot be used: " + problem + "; it was renamed to " + aside.getFileName()
                        + ". What is mounted stays mounted until it is unmounted by name"));
    }

    private static Path free(Path file) throws IOException {
        int number = 1;
        Path aside = file.resolveSibling(file.getFileName() + ASIDE + number);
        while (StrictPaths.attributes(aside).isPresent()) {
            number++;
            aside = file.resolveSibling(file.getFileName() + ASIDE + number);
        }
        return aside;
    }

    private Optional<VolumeKey> volume(Path file) {
        String name = file.getFileName().toString();
        Path parent = file.getParent();
        // Removes only the last suffix of the file name, because the id before it may contain the same text.
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
        Path namespace = file.getParent();
        if (namespace != null && !isDirectory(namespace)) {
            DurableDirectories.makeStrictly(namespace);
            sync(directory);
        }
        FileProto.VolumeRecord message = EntryCodec.encode(entry);
        StrictPaths.call(file, strict -> {
            files.write(strict, message);
            return strict;
        });
    }

    @Override
    public void remove(VolumeKey key) throws IOException {
        requireOpen();
        // The removal is not synced, so the record may reappear after a crash. This is harmless: the record says that
        // nothing is mounted, and is removed again.
        boolean unused = StrictPaths.call(file(key), Files::deleteIfExists);
    }

    @Override
    public synchronized void close() throws IOException {
        if (lockChannel.isOpen()) {
            try {
                lockChannel.close();
            } finally {
                OPEN.remove(directory);
            }
        }
    }

    /** Throws if this ledger is closed, because another process may have locked the directory since. */
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

    private void sync(Path synced) throws IOException {
        StrictPaths.call(synced, strict -> {
            files.sync(strict);
            return strict;
        });
    }

    private static boolean isDirectory(Path path) throws IOException {
        return StrictPaths.attributes(path)
                .filter(BasicFileAttributes::isDirectory)
                .isPresent();
    }
}
