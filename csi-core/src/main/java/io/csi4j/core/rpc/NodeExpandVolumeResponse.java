package io.csi4j.core.rpc;

/**
 * What is on the node has grown (CSI {@code NodeExpandVolume}).
 *
 * @param capacityBytes the new size in bytes; 0 for unknown
 */
public record NodeExpandVolumeResponse(long capacityBytes) {}
