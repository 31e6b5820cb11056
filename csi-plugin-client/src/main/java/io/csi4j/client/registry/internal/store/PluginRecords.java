package io.csi4j.client.registry.internal.store;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads and writes files that hold a list of plugin instances. */
public final class PluginRecords {
    private static final int VERSION = 1;
    private static final DurableFile<FileProto.PluginList> FILES =
            DurableFile.of("plugins", VERSION, FileProto.PluginList.parser(), true);

    private PluginRecords() {}

    public static void write(Path file, StoredPlugins plugins) throws IOException {
        FILES.write(file, encode(plugins));
    }

    /** Reads a file; throws an {@link UnusableFileException} for any content that {@link #write} did not write. */
    public static StoredPlugins read(Path file) throws IOException {
        return decode(FILES.read(file));
    }

    public static FileProto.PluginList encode(StoredPlugins plugins) {
        FileProto.PluginList.Builder list = FileProto.PluginList.newBuilder();
        plugins.plugins().forEach(plugin -> list.addPlugins(plugin(plugin)));
        plugins.problem().ifPresent(list::setProblem);
        return list.build();
    }

    public static StoredPlugins decode(FileProto.PluginList list) throws UnusableFileException {
        try {
            List<StoredPlugin> plugins =
                    list.getPluginsList().stream().map(PluginRecords::plugin).toList();
            return new StoredPlugins(plugins, list.hasProblem() ? Optional.of(list.getProblem()) : Optional.empty());
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new UnusableFileException("its message is not a valid list of plugins: " + e.getMessage());
        }
    }

    private static FileProto.Plugin plugin(StoredPlugin plugin) {
        InstanceKey key = plugin.registration().key();
        Instant registeredAt = plugin.registeredAt();
        FileProto.Plugin.Builder encoded = FileProto.Plugin.newBuilder()
                .setNodeId(key.nodeId().value())
                .setPluginId(key.pluginId().value())
                .setType(key.type().name())
                .setSocket(socket(plugin.registration().endpoint()))
                .setRegisteredSeconds(registeredAt.getEpochSecond())
                .setRegisteredNanos(registeredAt.getNano());
        key.allocationId().map(AllocationId::value).ifPresent(encoded::setAllocationId);
        plugin.registration().endpoint().owner().ifPresent(encoded::setSocketOwner);
        plugin.registration()
                .mountRoot()
                .ifPresent(root -> encoded.setMountRoot(FileProto.MountRoot.newBuilder()
                        .setOnHost(root.onHost().toString())
                        .setInPlugin(root.inPlugin().toString())));
        return encoded.build();
    }

    private static StoredPlugin plugin(FileProto.Plugin plugin) {
        InstanceKey key = new InstanceKey(
                NodeId.of(plugin.getNodeId()),
                PluginId.of(plugin.getPluginId()),
                PluginType.valueOf(plugin.getType()),
                plugin.hasAllocationId() ? Optional.of(AllocationId.of(plugin.getAllocationId())) : Optional.empty());
        Optional<MountRoot> root = plugin.hasMountRoot()
                ? Optional.of(new MountRoot(
                        Path.of(plugin.getMountRoot().getOnHost()),
                        Path.of(plugin.getMountRoot().getInPlugin())))
                : Optional.empty();
        Endpoint endpoint = Endpoint.parse(plugin.getSocket());
        return new StoredPlugin(
                new PluginRegistration(
                        key, plugin.hasSocketOwner() ? endpoint.ownedBy(plugin.getSocketOwner()) : endpoint, root),
                Instant.ofEpochSecond(plugin.getRegisteredSeconds(), plugin.getRegisteredNanos()));
    }

    /**
     * Returns the stored form of an endpoint. For a Unix socket it is the path without the scheme, as in the files of
     * earlier versions.
     */
    private static String socket(Endpoint endpoint) {
        return endpoint.path().map(Path::toString).orElseGet(endpoint::toString);
    }
}
