package io.csi4j.client.registry;

import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.internal.store.SocketRecords;
import io.csi4j.client.registry.internal.supervisor.PathSegment;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a node's plugins, below one directory of the host. Immutable.
 *
 * <p>{@code sockets/<digest>/csi.sock} is the socket of one instance. Each instance has its own directory with a short name, because the address of a socket is
 * limited in length. {@code mounts/<plugin>} is the directory where all instances of a plugin stage and publish, so that a newer instance finds the mounts
 * of an older one; all plugins may also share one directory. Neither directory contains the other.
 */
public final class PluginPaths {
    static final String SOCKET = "csi.sock";

    private final Path base;
    private final @Nullable Path oneRoot;

    private PluginPaths(Path base, @Nullable Path oneRoot) {
        this.base = base;
        this.oneRoot = oneRoot;
    }

    /**
     * Returns paths below a directory.
     *
     * @param base absolute; at most 73 bytes long, because of the length of a socket's path
     * @return the paths; nothing is created yet
     * @throws IllegalArgumentException if the directory is relative, or the path of a socket would exceed the 107 bytes of an address
     */
    public static PluginPaths under(Path base) {
        Objects.requireNonNull(base, "base");
        if (!base.isAbsolute()) {
            throw new IllegalArgumentException("PluginPaths: the directory " + base
                    + " is a relative path; plugins mount below it, so give it in full");
        }
        PluginPaths paths = new PluginPaths(base.normalize(), null);
        // Checks the length of one socket's path; the paths of all sockets have the same length.
        Endpoint.unix(paths.socketDirectories().resolve(PathSegment.digest("")).resolve(SOCKET));
        return paths;
    }

    /**
     * Returns a copy in which all plugins stage and publish in one directory, for example the base directory of {@code
     * io.csi4j.node.NodeVolumes}. Each plugin then sees the mounts of all plugins. In that base directory it also finds
     * the node's ledger, which it can read if its user has the permission.
     *
     * @param root absolute; neither inside the directory of the sockets nor a parent of it
     * @throws IllegalArgumentException if the directory is relative, or one is inside the other
     */
    public PluginPaths withMountRoot(Path root) {
        Path normal = root.normalize();
        if (!normal.isAbsolute()
                || normal.startsWith(socketDirectories())
                || socketDirectories().startsWith(normal)) {
            throw new IllegalArgumentException("PluginPaths: the mount root " + root + " has to be an absolute path,"
                    + " neither inside nor around " + socketDirectories()
                    + ", or cleaning up a socket could reach the data of volumes; choose one beside it");
        }
        return new PluginPaths(base, normal);
    }

    /** Returns the parent of the directories of all sockets. */
    Path socketDirectories() {
        return base.resolve("sockets");
    }

    /** Returns the directory of an instance's socket, which is mounted into the plugin; each instance has its own. */
    public Path socketDirectory(InstanceKey key) {
        // Separates the parts by line breaks. Ids have no control characters, so two keys never give the same text.
        String text = key.nodeId().value() + "\n" + key.pluginId().value() + "\n" + key.type() + "\n"
                + key.allocationId().map(AllocationId::value).orElse("");
        return socketDirectories().resolve(PathSegment.digest(text));
    }

    /** Returns the path of an instance's socket on the host. */
    public Path socket(InstanceKey key) {
        return socketDirectory(key).resolve(SOCKET);
    }

    /** Returns the file with the instance's record, outside of the plugin's reach. */
    Path record(InstanceKey key) {
        Path directory = socketDirectory(key);
        return directory.resolveSibling(directory.getFileName() + SocketRecords.SUFFIX);
    }

    /** Returns the directory in which all instances of a plugin stage and publish. */
    public Path mountRoot(PluginId pluginId) {
        if (oneRoot != null) {
            return oneRoot;
        }
        return base.resolve("mounts").resolve(PathSegment.of(pluginId.value()));
    }

    @Override
    public String toString() {
        return "PluginPaths[" + base + "]";
    }
}
