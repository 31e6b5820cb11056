/** Decides when this peer leads. */
@NullMarked
package io.csi4j.replication.ratis.internal.lead;

import org.jspecify.annotations.NullMarked;
