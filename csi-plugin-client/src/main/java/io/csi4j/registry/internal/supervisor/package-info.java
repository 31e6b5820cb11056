/** Directories and sockets of plugin tasks on the disk. */
@NullMarked
package io.csi4j.registry.internal.supervisor;

import org.jspecify.annotations.NullMarked;
