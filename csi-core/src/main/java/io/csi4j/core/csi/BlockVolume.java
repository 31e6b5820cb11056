package io.csi4j.core.csi;

/** Access to a volume as a block device. */
public record BlockVolume() implements AccessType {}
