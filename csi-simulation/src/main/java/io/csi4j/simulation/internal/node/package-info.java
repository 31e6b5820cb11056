/** The simulated nodes. */
@NullMarked
package io.csi4j.simulation.internal.node;

import org.jspecify.annotations.NullMarked;
