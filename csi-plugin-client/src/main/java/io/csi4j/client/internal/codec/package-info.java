/**
 * Requests and responses in the encoding of CSI. Each kind of message has one class that reads and writes it. Internal
 * to csi4j.
 */
@NullMarked
package io.csi4j.client.internal.codec;

import org.jspecify.annotations.NullMarked;
