package io.csi4j.registry;

import io.csi4j.registry.internal.connection.RegistryEnvironment;
import io.csi4j.registry.internal.connection.SocketPoller;

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
        RegistryEnvironment around,
        PluginStateStore store,
        ConnectionFactory factory,
        SocketPoller look,
        StopGuard leaving,
        Runnable closing) {}
