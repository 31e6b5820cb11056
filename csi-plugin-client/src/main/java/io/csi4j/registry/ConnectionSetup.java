package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.internal.connection.ConnectionRules;
import io.csi4j.registry.internal.connection.PluginQuestions;
import io.csi4j.registry.internal.connection.RegistryEnvironment;

/**
 * The parts of a connection.
 *
 * @param registration the instance and its socket
 * @param client the client of the instance
 * @param questions the queries of the instance
 * @param rules the rules of the connection's state
 * @param environment clock, timer, threads and random numbers
 */
record ConnectionSetup(
        PluginRegistration registration,
        CsiClient client,
        PluginQuestions questions,
        ConnectionRules rules,
        RegistryEnvironment environment) {}
