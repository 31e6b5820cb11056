package io.csi4j.registry;

import io.csi4j.registry.internal.connection.SocketPoller;
import io.csi4j.registry.internal.connection.Surroundings;

/**
 * What a registry is made of.
 *
 * @param around the world
 * @param store keeps the instances
 * @param factory makes connections
 * @param look looks at sockets
 * @param leaving what is done when a plugin goes that is needed
 * @param closing ends what the registry itself has begun
 */
record RegistryParts(
        Surroundings around,
        PluginStateStore store,
        ConnectionFactory factory,
        SocketPoller look,
        StopGuard leaving,
        Runnable closing) {}
