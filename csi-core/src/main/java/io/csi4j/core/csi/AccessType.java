package io.csi4j.core.csi;

/** How a workload sees a volume: as a block device or as a mounted file system. */
public sealed interface AccessType permits BlockVolume, MountVolume {}
