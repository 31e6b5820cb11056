@NullMarked
package io.csi4j.simulation.stress;

import org.jspecify.annotations.NullMarked;
