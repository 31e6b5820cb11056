/**
 * Plugins: their running {@linkplain io.csi4j.core.plugin.PluginInstance instances}, the {@linkplain
 * io.csi4j.core.plugin.PluginDeployment deployments} that run them, their last known {@linkplain
 * io.csi4j.core.plugin.PluginFacts facts}, and the {@linkplain io.csi4j.core.plugin.PluginView view} computed from
 * these. All values are immutable.
 *
 * <pre>{@code
 * PluginView plugin = snapshot.plugin(PluginId.of("ebs0"));
 * if (!plugin.schedulable()) {
 *     report(plugin.healthyNodes() + " of " + plugin.expected().nodes() + " node instances are healthy");
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.plugin;

import org.jspecify.annotations.NullMarked;
