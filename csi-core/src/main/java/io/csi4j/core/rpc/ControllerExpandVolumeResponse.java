package io.csi4j.core.rpc;

/**
 * The backing volume has grown (CSI {@code ControllerExpandVolume}, R83).
 *
 * @param capacityBytes the new size in bytes
 * @param nodeExpansionRequired whether NodeExpandVolume has to follow
 */
public record ControllerExpandVolumeResponse(long capacityBytes, boolean nodeExpansionRequired) {}
