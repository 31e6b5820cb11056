package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.internal.connection.ConnectionRules;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.RpcQuestions;

/**
 * The objects that a connection to a plugin instance consists of.
 *
 * @param registration the instance and its socket
 * @param client the client of the instance
 * @param questions sends queries to the instance
 * @param rules the rules that decide the next state of the connection
 * @param environment clock, timer, threads and random numbers
 */
record ConnectionSetup(
        PluginRegistration registration,
        CsiClient client,
        RpcQuestions questions,
        ConnectionRules rules,
        RegistryEnvironment environment) {}
