package io.csi4j.registry.instance;

import io.csi4j.client.Endpoint;
import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin instance that runs on this node, or will run.
 *
 * @param key the instance; a plugin with a controller and a node service is registered once, with the type that has both
 * @param socket the path of its socket: absolute, at most 107 bytes, and not the socket of another instance
 * @param mountRoot the directory in which the plugin stages and publishes; empty: none, or not known
 */
public record PluginRegistration(InstanceKey key, Path socket, Optional<MountRoot> mountRoot) {
    /**
     * Checks the path of the socket.
     *
     * @throws IllegalArgumentException if it is relative, or too long for the address of a Unix socket
     */
    public PluginRegistration {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(mountRoot, "mountRoot");
        if (!socket.isAbsolute()) {
            throw new IllegalArgumentException("PluginRegistration: the socket " + socket + " of " + key
                    + " is a relative path; it must outlive a change of the working directory, so give it in full");
        }
        // Checks the length of the path; throws if it is too long for a socket address.
        Endpoint.unix(socket);
    }

    /**
     * Returns an instance without a mount root.
     *
     * @throws IllegalArgumentException if the path is relative or too long
     */
    public static PluginRegistration of(InstanceKey key, Path socket) {
        return new PluginRegistration(key, socket, Optional.empty());
    }
}
