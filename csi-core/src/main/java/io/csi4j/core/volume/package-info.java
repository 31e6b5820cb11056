/**
 * Volumes and their parts: the {@linkplain io.csi4j.core.volume.VolumeSpec specification}, the facts from the storage provider, the {@linkplain
 * io.csi4j.core.volume.Claims claims} and the {@linkplain io.csi4j.core.volume.Attachments attachments}. All values are immutable
 * and thread-safe; a change creates a new value that shares the unchanged parts.
 *
 * <pre>{@code
 * VolumeSpec spec = VolumeSpec.builder(PluginId.of("ebs0"))
 *         .externalVolumeId(ExternalVolumeId.of("vol-0a1b"))
 *         .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
 *         .mountOptions(MountOptions.of("ext4", "noatime"))
 *         .build();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.volume;

import org.jspecify.annotations.NullMarked;
