/** Virtual time, processes and locks of a simulation. */
@NullMarked
package io.csi4j.simulation.internal.time;

import org.jspecify.annotations.NullMarked;
