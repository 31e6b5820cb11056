package io.csi4j.registry;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Instances as bytes: a mark, the version of the format, how many there are, each of them, why there may be more, and a
 * checksum over all that. The reason is there since version 2; what is complete is written as version 1.
 */
final class PluginRecords {
    static final int VERSION = 2;
    private static final int COMPLETE = 1;
    private static final long MARK = 0x637369346a504c47L; // csi4jPLG
    private static final int CHECKSUM_BYTES = 4;

    private PluginRecords() {}

    /** These bytes are not what was written. */
    static final class CorruptException extends Exception {
        private static final long serialVersionUID = 1L;

        CorruptException(String message) {
            super(message);
        }
    }

    /** These bytes were written by a newer release. */
    static final class NewerException extends Exception {
        private static final long serialVersionUID = 1L;

        NewerException(String message) {
            super(message);
        }
    }

    static byte[] encode(StoredPlugins kept) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MARK);
            out.writeInt(kept.problem().isEmpty() ? COMPLETE : VERSION);
            out.writeInt(kept.plugins().size());
            for (StoredPlugin plugin : kept.plugins()) {
                write(out, plugin);
            }
            if (kept.problem().isPresent()) {
                byte[] problem = kept.problem().get().getBytes(StandardCharsets.UTF_8);
                out.writeInt(problem.length);
                out.write(problem);
            }
            out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, StoredPlugin plugin) throws IOException {
        InstanceKey key = plugin.registration().key();
        out.writeUTF(key.nodeId().value());
        out.writeUTF(key.pluginId().value());
        out.writeUTF(key.type().name());
        out.writeUTF(key.allocationId().map(AllocationId::value).orElse(""));
        out.writeUTF(plugin.registration().socket().toString());
        Optional<MountRoot> root = plugin.registration().mountRoot();
        out.writeUTF(root.map(each -> each.onHost().toString()).orElse(""));
        out.writeUTF(root.map(each -> each.inPlugin().toString()).orElse(""));
        out.writeUTF(plugin.registeredAt().toString());
    }

    static StoredPlugins decode(byte[] bytes) throws CorruptException, NewerException {
        int end = bytes.length - CHECKSUM_BYTES;
        if (end < 0) {
            throw new CorruptException("it ends after " + bytes.length + " bytes");
        }
        if (ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            throw new CorruptException("its checksum does not match");
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, end))) {
            return read(in);
        } catch (IOException | RuntimeException unusable) {
            throw new CorruptException("it cannot be read: " + unusable);
        }
    }

    private static StoredPlugins read(DataInputStream in) throws IOException, CorruptException, NewerException {
        if (in.readLong() != MARK) {
            throw new CorruptException("it does not begin as such a file does");
        }
        int version = in.readInt();
        if (version > VERSION) {
            throw new NewerException("it has the format " + version + ", and this release knows up to " + VERSION);
        }
        int count = in.readInt();
        List<StoredPlugin> plugins = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            plugins.add(plugin(in));
        }
        return new StoredPlugins(
                plugins,
                version == COMPLETE
                        ? Optional.empty()
                        : Optional.of(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8)));
    }

    private static StoredPlugin plugin(DataInputStream in) throws IOException {
        NodeId nodeId = NodeId.of(in.readUTF());
        PluginId pluginId = PluginId.of(in.readUTF());
        PluginType type = PluginType.valueOf(in.readUTF());
        Optional<AllocationId> allocation = text(in.readUTF()).map(AllocationId::of);
        Path socket = Path.of(in.readUTF());
        Optional<Path> onHost = text(in.readUTF()).map(Path::of);
        Optional<Path> inPlugin = text(in.readUTF()).map(Path::of);
        Instant registeredAt = Instant.parse(in.readUTF());
        return new StoredPlugin(
                new PluginRegistration(
                        new InstanceKey(nodeId, pluginId, type, allocation),
                        socket,
                        onHost.flatMap(host -> inPlugin.map(plugin -> new MountRoot(host, plugin)))),
                registeredAt);
    }

    private static Optional<String> text(String written) {
        return written.isEmpty() ? Optional.empty() : Optional.of(written);
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }
}
