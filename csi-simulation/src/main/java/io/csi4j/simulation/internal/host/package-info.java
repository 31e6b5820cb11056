/** The simulated host: its machines, its scheduler and its workloads. */
@NullMarked
package io.csi4j.simulation.internal.host;

import org.jspecify.annotations.NullMarked;
