/**
 * The plugins of a node: {@link io.csi4j.client.registry.PluginRegistry}.
 *
 * <p>An instance is registered with the path of its socket, which need not exist yet. Its {@link io.csi4j.client.registry.PluginConnection} connects to it, reads its
 * name and capabilities, probes it, and reconnects after a restart. The registry selects the leader of each plugin, and keeps its list over restarts of the
 * host. A {@link io.csi4j.client.registry.PluginSupervisor} prepares the tasks that run plugins; a {@link io.csi4j.client.registry.Fingerprinter} reports to the servers.
 *
 * <pre>{@code
 * PluginRegistry registry = PluginRegistry.builder(NodeId.of("node-1"))
 *         .store(FilePluginStateStore.at(Path.of("/var/lib/host/plugins")))
 *         .open();
 * registry.register(PluginRegistration.of(key, Path.of("/run/csi/hostpath.sock")));
 * registry.waitForHealthy(PluginRole.NODE, PluginId.of("hostpath"), Duration.ofSeconds(30))
 *         .thenAccept(plugin -> use(plugin.connection().client()));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.client.registry;

import org.jspecify.annotations.NullMarked;
