/**
 * The values of CSI: ids, capabilities, capacity, topology, contexts and secrets, named as in the specification.
 *
 * <p>Each kind of id has its own type, so that a volume cannot be confused with a node, or the host's id of an object with the storage provider's id. The types for
 * sensitive values ({@link io.csi4j.core.csi.Secrets}, {@link io.csi4j.core.csi.VolumeContext}, {@link
 * io.csi4j.core.csi.PublishContext}, {@link io.csi4j.core.csi.MountFlags}) show no content in {@code toString}. All values are
 * immutable and thread-safe.
 *
 * <pre>{@code
 * VolumeCapability capability = VolumeCapability.mount(
 *         VolumeAccessMode.SINGLE_NODE_WRITER,
 *         MountVolume.builder().fsType("ext4").build());
 * CapacityRange size = CapacityRange.atLeast(10L << 30);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.csi;

import org.jspecify.annotations.NullMarked;
