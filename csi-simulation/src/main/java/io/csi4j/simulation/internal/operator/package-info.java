/** The simulated operators and users of volumes and snapshots. */
@NullMarked
package io.csi4j.simulation.internal.operator;

import org.jspecify.annotations.NullMarked;
