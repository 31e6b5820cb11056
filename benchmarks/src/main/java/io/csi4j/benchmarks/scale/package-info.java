/** Large clusters on virtual time. */
@NullMarked
package io.csi4j.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
