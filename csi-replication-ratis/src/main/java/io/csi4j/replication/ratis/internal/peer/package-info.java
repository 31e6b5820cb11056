/** Starts and configures the Ratis server of a peer. */
@NullMarked
package io.csi4j.replication.ratis.internal.peer;

import org.jspecify.annotations.NullMarked;
