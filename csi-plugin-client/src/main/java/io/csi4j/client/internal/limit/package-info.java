/**
 * Limits of the messages that arrive from plugins, agents and servers: which {@code InputLimit} of csi-core counts for
 * which field. Not part of the API.
 */
@NullMarked
package io.csi4j.client.internal.limit;

import org.jspecify.annotations.NullMarked;
