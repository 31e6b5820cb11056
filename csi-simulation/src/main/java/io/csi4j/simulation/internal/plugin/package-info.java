/** The simulated plugins. */
@NullMarked
package io.csi4j.simulation.internal.plugin;

import org.jspecify.annotations.NullMarked;
