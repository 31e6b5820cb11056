package io.csi4j.core.rpc;

/**
 * The response of ControllerExpandVolume: the provider has expanded the volume (R83).
 *
 * @param capacityBytes the new size in bytes
 * @param nodeExpansionRequired whether NodeExpandVolume has to follow
 */
public record ControllerExpandVolumeResponse(long capacityBytes, boolean nodeExpansionRequired) {}
