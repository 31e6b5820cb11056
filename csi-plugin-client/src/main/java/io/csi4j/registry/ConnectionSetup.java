package io.csi4j.registry;

import io.csi4j.client.CsiClient;

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
        Surroundings around) {}
