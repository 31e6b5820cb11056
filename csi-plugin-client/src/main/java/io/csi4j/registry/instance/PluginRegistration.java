package io.csi4j.registry.instance;

import io.csi4j.client.Endpoint;
import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * An instance of a plugin that runs on this node, or is about to.
 *
 * @param key which instance; a monolith is registered once, as such, and serves both roles
 * @param socket where it listens: absolute, at most 107 bytes, and no other instance's
 * @param mountRoot where it stages and publishes; empty: nowhere, or the host does not say
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
        // Throws if the path is longer than an address has room for.
        Endpoint.unix(socket);
    }

    /**
     * An instance without a mount root.
     *
     * @param key which instance
     * @param socket where it listens
     * @return the registration
     * @throws IllegalArgumentException if the path is relative or too long
     */
    public static PluginRegistration of(InstanceKey key, Path socket) {
        return new PluginRegistration(key, socket, Optional.empty());
    }
}
