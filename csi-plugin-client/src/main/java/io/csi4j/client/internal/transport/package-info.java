/** Connections to plugins: sockets, channels, threads and the detection of replaced socket files. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.transport;

import org.jspecify.annotations.NullMarked;
