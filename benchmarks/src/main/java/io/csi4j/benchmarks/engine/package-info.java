/** Measures the lifecycle engine. */
@NullMarked
package io.csi4j.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
