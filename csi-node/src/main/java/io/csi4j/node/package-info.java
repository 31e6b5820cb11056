/**
 * The volumes of a node: staged, published and unmounted in order, through crashes and reboots. Begin with {@link io.csi4j.node.NodeVolumes}; {@link
 * io.csi4j.node.WorkloadVolumes} claims and mounts all volumes of a workload.
 *
 * <pre>{@code
 * NodeVolumes volumes = NodeVolumes.builder(Path.of("/var/lib/agent/csi"), plugins).build();
 * volumes.start().join();
 * NodeVolumeId id = new NodeVolumeId(key, PluginId.of("ebs0"), ExternalVolumeId.of("vol-0a1b"));
 * MountedVolume mounted = volumes.mount(NodeMount.builder(id, allocation, capability).build()).join();
 * volumes.unmount(new NodeUnmount(id, allocation)).join();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.node;

import org.jspecify.annotations.NullMarked;
