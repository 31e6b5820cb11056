/** Applies the entries of the log to the state, and writes and reads snapshots. */
@NullMarked
package io.csi4j.replication.ratis.internal.machine;

import org.jspecify.annotations.NullMarked;
