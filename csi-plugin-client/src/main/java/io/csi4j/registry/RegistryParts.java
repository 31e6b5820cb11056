package io.csi4j.registry;

import io.csi4j.registry.internal.connection.RegistryEnvironment;
import io.csi4j.registry.internal.connection.SocketPoller;

/**
 * The parts of a registry.
 *
 * @param environment time, threads and randomness
 * @param store keeps the instances
 * @param factory makes connections
 * @param poller reads the sockets
 * @param stopGuard refuses or logs the end of a plugin that volumes need
 * @param closing closes what the registry owns
 */
record RegistryParts(
        RegistryEnvironment environment,
        PluginStateStore store,
        ConnectionFactory factory,
        SocketPoller poller,
        StopGuard stopGuard,
        Runnable closing) {}
