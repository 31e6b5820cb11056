/** Measures the size of the modules with their dependencies, and the threads and memory of idle programs. */
@NullMarked
package io.csi4j.benchmarks.costs;

import org.jspecify.annotations.NullMarked;
