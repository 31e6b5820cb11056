package io.csi4j.registry;

import io.csi4j.client.Endpoint;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.registry.internal.store.SocketRecords;
import io.csi4j.registry.internal.supervisor.PathSegment;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins of a node have their files, all below one directory of the host. Immutable.
 *
 * <p>{@code sockets/<digest>/csi.sock} is the socket of one instance: each has a directory of its own, with a
 * short name, because the address of a socket has little room. {@code mounts/<plugin>} is where all instances of a
 * plugin stage and publish, so that a newer one finds what an older one has mounted; or one directory for all plugins.
 * Neither is inside the other.
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
     * Paths below a directory.
     *
     * @param base absolute; at most 73 bytes long, so that the path of a socket has room
     * @return the paths; nothing is made yet
     * @throws IllegalArgumentException if the directory is relative, or the path of a socket in it would be longer
     *     than the 107 bytes that its address has room for
     */
    public static PluginPaths under(Path base) {
        Objects.requireNonNull(base, "base");
        if (!base.isAbsolute()) {
            throw new IllegalArgumentException("PluginPaths: the directory " + base
                    + " is a relative path; plugins mount below it, so give it in full");
        }
        PluginPaths paths = new PluginPaths(base.normalize(), null);
        // All sockets' paths are of one length.
        Endpoint.unix(paths.socketDirectories().resolve(PathSegment.digest("")).resolve(SOCKET));
        return paths;
    }

    /**
     * The same, with one directory below which all plugins stage and publish: the base directory of {@code
     * io.csi4j.node.NodeVolumes}, which has the volumes of all plugins. Each plugin then sees those of all, and its
     * records, as far as it runs as the user who may read them.
     *
     * @param root absolute; neither inside the directory of these paths that holds the sockets, nor around it
     * @return other paths
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

    /** What holds the directories of all sockets. */
    Path socketDirectories() {
        return base.resolve("sockets");
    }

    /**
     * The directory of an instance's socket, which is mounted into the plugin.
     *
     * @param key which instance
     * @return no other instance's
     */
    public Path socketDirectory(InstanceKey key) {
        // No id holds a control character, so no two keys have the same text.
        String text = key.nodeId().value() + "\n" + key.pluginId().value() + "\n" + key.type() + "\n"
                + key.allocationId().map(AllocationId::value).orElse("");
        return socketDirectories().resolve(PathSegment.digest(text));
    }

    /**
     * The socket of an instance.
     *
     * @param key which instance
     * @return its path on the host
     */
    public Path socket(InstanceKey key) {
        return socketDirectory(key).resolve(SOCKET);
    }

    /** What is known of the instance, beside its directory and out of the plugin's reach. */
    Path record(InstanceKey key) {
        Path directory = socketDirectory(key);
        return directory.resolveSibling(directory.getFileName() + SocketRecords.SUFFIX);
    }

    /**
     * The directory below which a plugin stages and publishes.
     *
     * @param pluginId the plugin
     * @return the same for all its instances
     */
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
