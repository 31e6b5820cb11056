/** Micrometer meters of csi4j. */
@NullMarked
package io.csi4j.micrometer;

import org.jspecify.annotations.NullMarked;
