/**
 * The protobuf messages of rows, commands and outcomes. Internal to csi-state.
 *
 * <p>A class has both directions: each method that writes a message is followed by the method that reads it. Only the row of a volume is
 * written by one class ({@link io.csi4j.state.internal.codec.VolumeToProto}) and read by another ({@link
 * io.csi4j.state.internal.codec.VolumeFromProto}), which decodes the parts that many volumes have in common once.
 */
@NullMarked
package io.csi4j.state.internal.codec;

import org.jspecify.annotations.NullMarked;
