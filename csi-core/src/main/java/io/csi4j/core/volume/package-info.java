/**
 * A volume and what is known about it: what the host {@linkplain io.csi4j.core.volume.VolumeSpec
 * declared}, what the provider told, its {@linkplain io.csi4j.core.volume.Claims claims} and its
 * {@linkplain io.csi4j.core.volume.Attachments attachments}. All values are immutable and safe for
 * use by many threads; a change makes a new value that shares what did not change.
 *
 * <pre>{@code
 * VolumeSpec spec = VolumeSpec.builder(PluginId.of("ebs0"))
 *         .externalVolumeId(ExternalVolumeId.of("vol-0a1b"))
 *         .requestedCapabilities(List.of(RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
 *         .mountOptions(MountOptions.of("ext4", "noatime"))
 *         .build();
 * }</pre>
 */
@NullMarked
package io.csi4j.core.volume;

import org.jspecify.annotations.NullMarked;
