/**
 * The implementations of sockets, the I/O threads that all connections of csi4j in a process share, and the protection of their logs. Used
 * by the clients of plugins and by agents. Internal to csi4j.
 */
@NullMarked
package io.csi4j.client.internal.socket;

import org.jspecify.annotations.NullMarked;
