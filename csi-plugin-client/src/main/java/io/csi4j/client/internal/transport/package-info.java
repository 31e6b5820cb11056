/** Connections to plugins: sockets, channels, threads and the watch on a socket file. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.transport;

import org.jspecify.annotations.NullMarked;
