/**
 * The plugins of a node: {@link io.csi4j.registry.PluginRegistry}.
 *
 * <p>An instance of a plugin is registered with where its socket is, or will be. From then on it has one {@link
 * io.csi4j.registry.PluginConnection}, which finds it, asks who it is and what it can do, probes it, and finds it again
 * after a restart. The registry tells who leads, waits until somebody does, and outlives the host. A {@link
 * io.csi4j.registry.PluginSupervisor} does what a task that runs a plugin needs; a {@link
 * io.csi4j.registry.Fingerprinter} tells the servers.
 *
 * <pre>{@code
 * PluginRegistry registry = PluginRegistry.builder(NodeId.of("node-1"))
 *         .store(FilePluginStateStore.at(Path.of("/var/lib/host/plugins")))
 *         .open();
 * registry.register(PluginRegistration.of(key, Path.of("/run/csi/hostpath.sock")));
 * registry.waitForHealthy(PluginRole.NODE, PluginId.of("hostpath"), Duration.ofSeconds(30))
 *         .thenAccept(plugin -> use(plugin.connection().client()));
 * }</pre>
 */
@NullMarked
package io.csi4j.registry;

import org.jspecify.annotations.NullMarked;
