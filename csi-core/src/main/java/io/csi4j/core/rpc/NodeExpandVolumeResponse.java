package io.csi4j.core.rpc;

/**
 * The response of NodeExpandVolume: the volume was expanded on the node.
 *
 * @param capacityBytes the new size in bytes; 0 if unknown
 */
public record NodeExpandVolumeResponse(long capacityBytes) {}
