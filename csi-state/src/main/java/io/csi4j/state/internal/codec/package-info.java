/**
 * The protobuf messages of rows, commands and outcomes. Internal to csi-state.
 *
 * <p>A class that ends in {@code ToProto} writes messages; its partner that ends in {@code FromProto} reads them.
 */
@NullMarked
package io.csi4j.state.internal.codec;

import org.jspecify.annotations.NullMarked;
