package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.internal.connection.ConnectionRules;
import io.csi4j.registry.internal.connection.PluginQuestions;
import io.csi4j.registry.internal.connection.RegistryEnvironment;

/**
 * What a connection is made of.
 *
 * @param registration which instance, and where
 * @param client the way to it
 * @param questions what to ask it
 * @param rules how to decide
 * @param around the world
 */
record ConnectionSetup(
        PluginRegistration registration,
        CsiClient client,
        PluginQuestions questions,
        ConnectionRules rules,
        RegistryEnvironment around) {}
