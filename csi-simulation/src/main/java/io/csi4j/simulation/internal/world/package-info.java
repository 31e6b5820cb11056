/** The simulated world: its state, its provider and its machines, and the checks of each command. */
@NullMarked
package io.csi4j.simulation.internal.world;

import org.jspecify.annotations.NullMarked;
