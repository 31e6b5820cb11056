package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.internal.connection.ConnectionRules;
import io.csi4j.registry.internal.connection.PluginQuestions;
import io.csi4j.registry.internal.connection.RegistryEnvironment;

/**
 * The parts of a connection.
 *
 * @param registration which instance, and where
 * @param client calls it
 * @param questions what to ask it
 * @param rules how to decide
 * @param environment time, threads and randomness
 */
record ConnectionSetup(
        PluginRegistration registration,
        CsiClient client,
        PluginQuestions questions,
        ConnectionRules rules,
        RegistryEnvironment environment) {}
