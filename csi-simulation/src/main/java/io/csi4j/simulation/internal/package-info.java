/** One run of the simulation. */
@NullMarked
package io.csi4j.simulation.internal;

import org.jspecify.annotations.NullMarked;
