/**
 * The values of CSI: ids, capabilities, capacity, topology, contexts and secrets, named as the
 * specification names them.
 *
 * <p>Ids are types, so that no call can confuse a volume with a node or a host's id with a
 * provider's. What must never be shown ({@link io.csi4j.core.csi.Secrets}, {@link
 * io.csi4j.core.csi.VolumeContext}, {@link io.csi4j.core.csi.PublishContext}, {@link
 * io.csi4j.core.csi.MountFlags}) shows nothing in {@code toString}. All values are immutable and
 * safe for use by many threads.
 *
 * <pre>{@code
 * VolumeCapability capability = VolumeCapability.mount(
 *         AccessMode.SINGLE_NODE_WRITER,
 *         MountVolume.builder().fsType("ext4").build());
 * CapacityRange size = CapacityRange.atLeast(10L << 30);
 * }</pre>
 */
@NullMarked
package io.csi4j.core.csi;

import org.jspecify.annotations.NullMarked;
