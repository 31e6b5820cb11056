@NullMarked
package io.csi4j.simulation.defect;

import org.jspecify.annotations.NullMarked;
