package io.csi4j.core.rpc;

/**
 * The response of ControllerExpandVolume: the storage provider has expanded the volume (R83).
 *
 * @param capacityBytes the new size in bytes
 * @param nodeExpansionRequired whether the nodes have to expand the volume as well, by NodeExpandVolume
 */
public record ControllerExpandVolumeResponse(long capacityBytes, boolean nodeExpansionRequired) {}
