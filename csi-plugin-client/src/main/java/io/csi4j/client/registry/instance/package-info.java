/**
 * Values about one plugin instance: its registration, its state, its facts, and the limits of its connection.
 *
 * <pre>{@code
 * PluginRegistration registration = PluginRegistration.of(key, Path.of("/run/csi/hostpath.sock"));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.client.registry.instance;

import org.jspecify.annotations.NullMarked;
