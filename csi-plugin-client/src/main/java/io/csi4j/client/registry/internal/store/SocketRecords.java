package io.csi4j.client.registry.internal.store;

import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Keeps a record beside the directory of each socket, so that the instances can be restored if their list is lost. */
public final class SocketRecords {
    public static final String SUFFIX = ".plugin";

    private SocketRecords() {}

    /** Writes a record unless it exists, so that the record keeps the time of the first registration. */
    public static void write(Path record, StoredPlugin plugin) throws IOException {
        try {
            List<StoredPlugin> there = PluginRecords.read(record).plugins();
            if (there.size() == 1 && there.get(0).registration().equals(plugin.registration())) {
                return;
            }
        } catch (NoSuchFileException | UnusableFileException replaced) {
            // Replaces an unusable record by a new one, because the record only serves to restore a lost list.
        }
        PluginRecords.write(record, StoredPlugins.all(List.of(plugin)));
    }

    /** Adds the instances whose sockets exist to {@code found}, and the names of unusable records to {@code lost}. */
    public static void find(Path directory, List<StoredPlugin> found, List<String> lost) {
        try (DirectoryStream<Path> records = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path record : records) {
                read(record, found, lost);
            }
        } catch (NoSuchFileException noneEver) {
            // The directory does not exist, because no plugin was ever prepared.
        } catch (IOException unreadable) {
            lost.add(directory + " (" + unreadable + ")");
        }
    }

    private static void read(Path record, List<StoredPlugin> found, List<String> lost) {
        try {
            for (StoredPlugin plugin : PluginRecords.read(record).plugins()) {
                if (Files.exists(plugin.registration().socket())) {
                    found.add(plugin);
                }
            }
        } catch (IOException unusable) {
            lost.add(record + " (" + unusable.getMessage() + ")");
        }
    }
}
