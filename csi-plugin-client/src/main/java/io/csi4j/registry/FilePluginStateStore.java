package io.csi4j.registry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the instances in one file, which is replaced as a whole: written beside it, flushed, renamed, and the
 * directory flushed. It has a version and a checksum.
 *
 * <p>A file that cannot be understood is set aside under another name, and the instances are taken from the records
 * that a {@link PluginSupervisor} keeps beside their sockets, those of which the socket is there. What comes out of
 * that may be incomplete, and says so. A file of a newer release is left alone, and is an error.
 */
public final class FilePluginStateStore implements PluginStateStore {
    private final Path file;
    private final @Nullable Path socketDirectories;

    private FilePluginStateStore(Path file, @Nullable Path socketDirectories) {
        this.file = file.toAbsolutePath();
        this.socketDirectories = socketDirectories;
    }

    /**
     * A store in a file.
     *
     * @param file where; its directory must be there, and belong to the host alone
     * @return the store; a file that cannot be understood leaves it empty
     */
    public static FilePluginStateStore at(Path file) {
        return new FilePluginStateStore(Objects.requireNonNull(file, "file"), null);
    }

    /**
     * A store in a file that looks for sockets if the file cannot be understood.
     *
     * @param file where; its directory must be there, and belong to the host alone
     * @param paths where a supervisor keeps sockets
     * @return the store
     */
    public static FilePluginStateStore at(Path file, PluginPaths paths) {
        return new FilePluginStateStore(Objects.requireNonNull(file, "file"), paths.socketDirectories());
    }

    @Override
    public StoredPlugins load() {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException nothingKept) {
            return StoredPlugins.all(List.of());
        } catch (IOException unreadable) {
            throw new PluginStoreException(
                    "the plugins of this node cannot be read from " + file + ": " + unreadable
                            + "; see to the file's permissions and its disk, or move it away to begin without it",
                    unreadable);
        }
        try {
            return StoredPlugins.all(PluginRecords.decode(bytes));
        } catch (PluginRecords.NewerException newer) {
            throw new PluginStoreException(
                    "the plugins of this node cannot be read from " + file + ": " + newer.getMessage()
                            + "; use the release that wrote it, or move it away to begin without it",
                    newer);
        } catch (PluginRecords.CorruptException corrupt) {
            return rebuilt(corrupt);
        }
    }

    private StoredPlugins rebuilt(PluginRecords.CorruptException corrupt) {
        Path aside = setAside();
        List<StoredPlugin> found = new ArrayList<>();
        List<String> lost = new ArrayList<>();
        if (socketDirectories != null) {
            SocketRecords.find(socketDirectories, found, lost);
        }
        found.sort(Comparator.comparing(StoredPlugin::registeredAt).reversed());
        String problem = "the list of plugins in " + file + " cannot be used: " + corrupt.getMessage()
                + ". It was set aside as " + aside + ", and " + found.size() + " plugins were found by their sockets"
                + (lost.isEmpty() ? "" : "; these records cannot be used either: " + lost)
                + ". Register all plugins that run on this node, then confirm that the list is complete";
        return new StoredPlugins(found, Optional.of(problem));
    }

    private Path setAside() {
        for (int i = 1; ; i++) {
            Path aside = file.resolveSibling(file.getFileName() + ".corrupt-" + i);
            if (Files.notExists(aside)) {
                try {
                    return Files.move(file, aside);
                } catch (IOException stuck) {
                    throw new PluginStoreException(
                            "the list of plugins in " + file + " cannot be used, nor set aside as " + aside + ": "
                                    + stuck + "; move it away by hand",
                            stuck);
                }
            }
        }
    }

    @Override
    public void save(List<StoredPlugin> plugins) {
        try {
            DurableFile.replace(file, PluginRecords.encode(plugins));
        } catch (IOException unwritten) {
            throw new PluginStoreException(
                    "the plugins of this node could not be written to " + file + ": " + unwritten
                            + "; until they are, a restart of the host forgets the latest changes. See to the"
                            + " directory's permissions and free space",
                    unwritten);
        }
    }

    @Override
    public String toString() {
        return "FilePluginStateStore[" + file + "]";
    }
}
