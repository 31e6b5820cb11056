@NullMarked
package io.csi4j.simulation.internal.disk;

import org.jspecify.annotations.NullMarked;
