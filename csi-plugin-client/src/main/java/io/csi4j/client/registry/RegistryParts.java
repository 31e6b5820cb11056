package io.csi4j.client.registry;

import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.SocketPoller;

/**
 * The objects that a registry consists of.
 *
 * @param environment clock, timer, threads and random numbers
 * @param store keeps the instances
 * @param factory creates connections
 * @param poller checks the sockets
 * @param stopGuard refuses or logs the end of a plugin that volumes need
 * @param closing closes the objects that the registry owns
 */
record RegistryParts(
        RegistryEnvironment environment,
        PluginStateStore store,
        ConnectionFactory factory,
        SocketPoller poller,
        StopGuard stopGuard,
        Runnable closing) {}
