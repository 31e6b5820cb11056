package io.csi4j.core.csi;

/** Access as a block device. */
public record BlockVolume() implements AccessType {}
