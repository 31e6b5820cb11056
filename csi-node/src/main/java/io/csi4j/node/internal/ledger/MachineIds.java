package io.csi4j.node.internal.ledger;

import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The external ids under which plugins have known this machine, in a file beside the ledger. When a plugin is not there
 * to say which machine this is, the file says whether a request is for it. Thread-safe.
 */
public final class MachineIds {
    /** The number of ids of one plugin that are kept. A plugin has more than one only if it renames machines. */
    private static final int MAX_IDS = 16;

    private static final int VERSION = 1;

    private final Path path;
    private final DurableFile<FileProto.MachineIds> file;
    private final Map<PluginId, List<ExternalNodeId>> ids = new TreeMap<>();

    private MachineIds(Path path, DurableFile<FileProto.MachineIds> file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Reads the file; it need not exist.
     *
     * @throws IOException if the file cannot be read, or is damaged
     */
    public static MachineIds open(Path path, boolean sync) throws IOException {
        MachineIds opened =
                new MachineIds(path, DurableFile.of("machine", VERSION, FileProto.MachineIds.parser(), sync));
        try {
            for (FileProto.MachineIds.Plugin plugin :
                    StrictPaths.call(path, opened.file::read).getPluginsList()) {
                opened.ids.put(
                        PluginId.of(plugin.getPluginId()),
                        new ArrayList<>(plugin.getExternalNodeIdsList().stream()
                                .map(ExternalNodeId::of)
                                .toList()));
            }
        } catch (NoSuchFileException e) {
            // Nothing has been learned yet.
            return opened;
        } catch (UnusableFileException | IllegalArgumentException e) {
            throw new IOException(
                    "the file " + path + " is damaged: " + e.getMessage() + "; delete it, and start the plugins of this"
                            + " node before volumes are unmounted",
                    e);
        }
        return opened;
    }

    /** Returns whether a plugin has ever known this machine by an id. */
    public synchronized boolean had(PluginId pluginId, ExternalNodeId id) {
        return Optional.ofNullable(ids.get(pluginId))
                .filter(known -> known.contains(id))
                .isPresent();
    }

    /** Returns the plugins that have ever known this machine. */
    public synchronized Set<PluginId> plugins() {
        return Set.copyOf(ids.keySet());
    }

    /** Returns the id by which a plugin knows this machine; empty if it is unknown, or the plugin has renamed machines. */
    public synchronized Optional<ExternalNodeId> only(PluginId pluginId) {
        List<ExternalNodeId> known = ids.getOrDefault(pluginId, List.of());
        return known.size() == 1 ? Optional.of(known.get(0)) : Optional.empty();
    }

    /**
     * Stores that a plugin knows this machine by an id.
     *
     * @throws IOException if the file could not be written; the id is then learned at the next attempt
     */
    public synchronized void learn(PluginId pluginId, ExternalNodeId id) throws IOException {
        if (had(pluginId, id)) {
            return;
        }
        List<ExternalNodeId> known = new ArrayList<>(ids.getOrDefault(pluginId, List.of()));
        known.add(id);
        Map<PluginId, List<ExternalNodeId>> next = new TreeMap<>(ids);
        next.put(pluginId, known.subList(Math.max(0, known.size() - MAX_IDS), known.size()));
        FileProto.MachineIds.Builder message = FileProto.MachineIds.newBuilder();
        next.forEach((plugin, all) -> message.addPlugins(FileProto.MachineIds.Plugin.newBuilder()
                .setPluginId(plugin.value())
                .addAllExternalNodeIds(all.stream().map(ExternalNodeId::value).toList())));
        FileProto.MachineIds content = message.build();
        StrictPaths.call(path, strict -> {
            file.write(strict, content);
            return strict;
        });
        ids.putAll(next);
    }
}
