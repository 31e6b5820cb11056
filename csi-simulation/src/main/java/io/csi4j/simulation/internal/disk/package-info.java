/**
 * A file system in memory with the crash semantics of a disk: a file and a name survive a power loss for certain only after they
 * were synced. It implements {@link java.nio.file.FileSystem}, so that the real ledger runs on it.
 */
@NullMarked
package io.csi4j.simulation.internal.disk;

import org.jspecify.annotations.NullMarked;
