/** Converts the values of csi4j to the protobuf messages between servers and nodes, and back. Not part of the API. */
@NullMarked
package io.csi4j.node.internal.codec;

import org.jspecify.annotations.NullMarked;
