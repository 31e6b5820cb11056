/** The certificates and keys of connections. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.tls;

import org.jspecify.annotations.NullMarked;
