/** Requests and responses in the encoding of CSI. One class reads and writes each kind of message. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.codec;

import org.jspecify.annotations.NullMarked;
