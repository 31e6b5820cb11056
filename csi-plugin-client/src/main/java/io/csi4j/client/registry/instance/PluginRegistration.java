package io.csi4j.client.registry.instance;

import io.csi4j.client.Endpoint;
import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin instance that runs on this node, or will run.
 *
 * @param key the instance; a plugin with a controller and a node service is registered once, with the type that has
 *     both
 * @param endpoint the Unix socket of the instance. Its path is absolute and has at most 107 bytes, and no other
 *     instance has the same socket. A test may give a fake plugin in this process instead
 * @param mountRoot the directory in which the plugin stages and publishes; empty: none, or not known
 */
public record PluginRegistration(InstanceKey key, Endpoint endpoint, Optional<MountRoot> mountRoot) {
    /**
     * Checks the endpoint.
     *
     * @throws IllegalArgumentException if it is TCP, or the path of the socket is relative
     */
    public PluginRegistration {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(mountRoot, "mountRoot");
        if (endpoint.authority().isPresent()) {
            throw new IllegalArgumentException("PluginRegistration: the endpoint " + endpoint + " of " + key
                    + " is TCP; the plugins of a node listen on Unix sockets (R2)");
        }
        endpoint.path().filter(path -> !path.isAbsolute()).ifPresent(path -> {
            throw new IllegalArgumentException("PluginRegistration: the socket " + path + " of " + key
                    + " is a relative path; it must outlive a change of the working directory, so give it in full");
        });
    }

    /**
     * Returns an instance with a Unix socket.
     *
     * @throws IllegalArgumentException if the path is relative, or too long for the address of a Unix socket
     */
    public PluginRegistration(InstanceKey key, Path socket, Optional<MountRoot> mountRoot) {
        this(key, Endpoint.unix(socket), mountRoot);
    }

    /**
     * Returns an instance without a mount root.
     *
     * @throws IllegalArgumentException if the path is relative or too long
     */
    public static PluginRegistration of(InstanceKey key, Path socket) {
        return new PluginRegistration(key, socket, Optional.empty());
    }

    /**
     * Returns an instance without a mount root.
     *
     * @throws IllegalArgumentException if the endpoint is TCP, or the path of its socket is relative
     */
    public static PluginRegistration of(InstanceKey key, Endpoint endpoint) {
        return new PluginRegistration(key, endpoint, Optional.empty());
    }

    /**
     * Returns the path of the socket.
     *
     * @throws IllegalStateException if the instance is a fake plugin in this process
     */
    public Path socket() {
        return endpoint.path().orElseThrow(() -> new IllegalStateException(key + " at " + endpoint + " has no socket"));
    }
}
