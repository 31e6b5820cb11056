/** Directories and sockets of plugin tasks on the disk. */
@NullMarked
package io.csi4j.client.registry.internal.supervisor;

import org.jspecify.annotations.NullMarked;
