/** The checks after each step, and the last round. */
@NullMarked
package io.csi4j.simulation.internal.check;

import org.jspecify.annotations.NullMarked;
