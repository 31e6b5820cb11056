package io.csi4j.core.csi;

/** Says how a workload gets a volume: as a block device or as a mounted file system. */
public sealed interface AccessType permits BlockVolume, MountVolume {}
