package io.csi4j.client.registry;

import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.store.PluginRecords;
import io.csi4j.client.registry.internal.store.SocketRecords;
import java.io.IOException;
import java.nio.file.FileSystemException;
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
 * Keeps the instances in one file, which has a version and a checksum. Each save writes a new file beside the old one,
 * syncs it, renames it to replace the old file, and syncs the directory.
 *
 * <p>An unreadable file is moved aside, and the instances are restored from the records that a {@link PluginSupervisor}
 * keeps beside their sockets, if the sockets exist. A restored list may be incomplete, and is marked as such, even
 * after further restarts. The damaged file keeps its name until a new file replaces it, so that a crash in between is
 * not mistaken for a first start. A file of a newer release is an error and is not changed.
 */
public final class FilePluginStateStore implements PluginStateStore {
    private final Path file;
    private final @Nullable Path socketDirectories;

    private FilePluginStateStore(Path file, @Nullable Path socketDirectories) {
        this.file = file.toAbsolutePath();
        this.socketDirectories = socketDirectories;
    }

    /**
     * Returns a store in a file.
     *
     * @param file the path; its directory must exist and be accessible to the host only
     * @return the store; an unreadable file is treated as empty
     */
    public static FilePluginStateStore at(Path file) {
        return new FilePluginStateStore(Objects.requireNonNull(file, "file"), null);
    }

    /**
     * Returns a store in a file. If the file is unreadable, the instances are restored from the records beside their sockets.
     *
     * @param file the path; its directory must exist and be accessible to the host only
     * @param paths the directories of a supervisor's sockets
     */
    public static FilePluginStateStore at(Path file, PluginPaths paths) {
        return new FilePluginStateStore(Objects.requireNonNull(file, "file"), paths.socketDirectories());
    }

    @Override
    public StoredPlugins load() {
        try {
            return PluginRecords.read(file);
        } catch (NoSuchFileException nothingKept) {
            return StoredPlugins.all(List.of());
        } catch (UnusableFileException unusable) {
            if (unusable.newer()) {
                throw new PluginStoreException(
                        "the plugins of this node cannot be read from " + file + ": " + unusable.getMessage()
                                + "; use the release that wrote it, or move it away to begin without it",
                        unusable);
            }
            return rebuilt(unusable);
        } catch (IOException unreadable) {
            throw new PluginStoreException(
                    "the plugins of this node cannot be read from " + file + ": " + unreadable
                            + "; see to the file's permissions and its disk, or move it away to begin without it",
                    unreadable);
        }
    }

    private StoredPlugins rebuilt(UnusableFileException unusable) {
        Path aside = setAside();
        List<StoredPlugin> found = new ArrayList<>();
        List<String> lost = new ArrayList<>();
        if (socketDirectories != null) {
            SocketRecords.find(socketDirectories, found, lost);
        }
        found.sort(Comparator.comparing(StoredPlugin::registeredAt).reversed());
        String problem = "the list of plugins in " + file + " cannot be used: " + unusable.getMessage()
                + ". It was set aside as " + aside + ", and " + found.size() + " plugins were found by their sockets"
                + (lost.isEmpty() ? "" : "; these records cannot be used either: " + lost)
                + ". Register all plugins that run on this node, then confirm that the list is complete";
        return new StoredPlugins(found, Optional.of(problem));
    }

    private Path setAside() {
        for (int i = 1; ; i++) {
            Path aside = file.resolveSibling(file.getFileName() + ".corrupt-" + i);
            try {
                if (Files.notExists(aside)) {
                    return alsoAs(aside);
                }
                if (Files.isSameFile(file, aside)) {
                    // Both paths already name the same damaged file: an earlier start of the host linked it to the
                    // path "aside", but ended before it saved a new list.
                    return aside;
                }
            } catch (IOException stuck) {
                throw new PluginStoreException(
                        "the list of plugins in " + file + " cannot be used, nor set aside as " + aside + ": " + stuck
                                + "; move it away by hand",
                        stuck);
            }
        }
    }

    /**
     * Keeps the damaged file under the path {@code aside} as well: as a hard link, which needs no disk space, or as a
     * copy if the file system has no hard links.
     */
    private Path alsoAs(Path aside) throws IOException {
        try {
            return Files.createLink(aside, file);
        } catch (UnsupportedOperationException | FileSystemException nameless) {
            return Files.copy(file, aside);
        }
    }

    @Override
    public void save(StoredPlugins plugins) {
        try {
            PluginRecords.write(file, plugins);
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
