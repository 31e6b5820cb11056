package io.csi4j.node;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * One file for each volume, readable by nobody else. It is made with the first frame and room for more, and what the
 * record says later is written there; once it is long, or where it is not certain what it holds, it is replaced as a
 * whole. One process at a time; a lock file sees to that.
 */
final class FileLedger implements VolumeLedger {
    private static final System.Logger LOG = System.getLogger(FileLedger.class.getName());
    private static final String RECORD = ".rec";
    private static final String ASIDE = ".aside-";
    /** Longer files are replaced. A volume that comes and goes has a tenth of it. */
    private static final int LONGEST = 65_536;

    /** No name of a namespace begins so. */
    private static final String LOCK = ".lock";
    /** Whoever opens and closes the file of a lock gives up this process's lock on it, whoever has that. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    /** What begins as no record does. */
    private static final byte[] NO_FILE = {1};

    private final Path directory;
    /** It is beside the directories of the volumes. */
    private final NodePaths paths;

    private final RecordFile files;
    private final FileChannel lockChannel;
    /** Of the files that may be added to: all in them is whole. */
    private final Map<VolumeKey, RecordFile.Extent> extents = new ConcurrentHashMap<>();

    private FileLedger(Path directory, RecordFile files, FileChannel lockChannel) {
        this.directory = directory;
        this.paths = new NodePaths(Optional.ofNullable(directory.getParent()).orElse(directory));
        this.files = files;
        this.lockChannel = lockChannel;
    }

    static FileLedger open(Path directory, boolean sync) throws IOException {
        Directories.make(directory);
        Path real = directory.toRealPath();
        Optional<FileChannel> channel = OPEN.add(real) ? locked(real) : Optional.empty();
        return new FileLedger(
                real,
                new RecordFile(sync),
                channel.orElseThrow(() -> new IOException("the ledger in " + directory
                        + " is in use; two processes must not mount in one base directory: stop the other, or give this"
                        + " one a base directory of its own")));
    }

    /** Held until the channel is closed; empty: another process has it. */
    private static Optional<FileChannel> locked(Path directory) throws IOException {
        boolean locked = false;
        try {
            FileChannel channel =
                    FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                FileLock lock = channel.tryLock();
                locked = lock != null;
            } catch (OverlappingFileLockException e) {
                // By another path, one that is mounted there too.
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
        // The process before may have been killed between what it made and its sync.
        files.sync(directory);
        for (Path namespace : list(directory)) {
            if (!Files.isDirectory(namespace)) {
                continue;
            }
            files.sync(namespace);
            for (Path file : list(namespace)) {
                String name = file.getFileName().toString();
                if (name.endsWith(RecordFile.TEMPORARY)) {
                    Files.delete(file);
                } else if (name.endsWith(RECORD)) {
                    read(file, entries, setAside);
                } else if (name.contains(ASIDE)) {
                    // Was reported when it was set aside; until an operator removes it, its volume stays suspect.
                    setAside.add(new SetAside(
                            volume(file),
                            file + " is still set aside; remove it once the mounts of its volume are in order"));
                }
            }
        }
        return new Contents(List.copyOf(entries), List.copyOf(setAside));
    }

    private void read(Path file, List<VolumeEntry> entries, List<SetAside> setAside) throws IOException {
        // What cannot be read now is no reason to set it aside.
        byte[] content = Files.isRegularFile(file) ? Files.readAllBytes(file) : NO_FILE;
        String problem;
        try {
            Optional<RecordFrames.Last> last = RecordFrames.last(content);
            if (last.isPresent()) {
                VolumeEntry entry = EntryCodec.decode(last.get());
                if (file(entry.key()).equals(file)) {
                    entries.add(entry);
                    last.get()
                            .end()
                            .ifPresent(end -> extents.put(entry.key(), new RecordFile.Extent(end, content.length)));
                    return;
                }
                problem = "it is the record of another volume";
            } else if (hasTraces(file)) {
                problem = "it was cut off, and there are directories of its volume, which are made later";
            } else {
                LOG.log(Level.DEBUG, "{0} was not written to its end, so nothing was done; it is removed", file);
                Files.delete(file);
                return;
            }
        } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
        }
        Path aside = free(file);
        Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
        files.syncDirectory(aside);
        setAside.add(new SetAside(
                volume(file),
                file + " cannot be used: " + problem + "; it was renamed to " + aside.getFileName()
                        + ". What is mounted stays mounted until it is unmounted by name"));
    }

    private boolean hasTraces(Path file) {
        return volume(file)
                .filter(key -> !Files.exists(paths.stagings(key), LinkOption.NOFOLLOW_LINKS)
                        && !Files.exists(paths.targets(key), LinkOption.NOFOLLOW_LINKS))
                .isEmpty();
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
        byte[] frame = EntryCodec.encode(entry);
        // Until it is written, it is not certain what the file holds.
        RecordFile.Extent known = extents.remove(entry.key());
        Optional<RecordFile.Extent> added = known == null || known.end() + frame.length > LONGEST
                ? Optional.empty()
                : files.append(file, known, frame);
        extents.put(entry.key(), added.isPresent() ? added.get() : files.replace(file, frame));
    }

    @Override
    public void remove(VolumeKey key) throws IOException {
        requireOpen();
        Path file = file(key);
        extents.remove(key);
        // Not synced: a record that says that nothing is left is forgotten again.
        Files.deleteIfExists(file);
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

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }
}
