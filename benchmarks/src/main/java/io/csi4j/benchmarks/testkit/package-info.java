/** Measures the fake plugin of the testkit; see {@link io.csi4j.benchmarks.testkit.TestkitBenchmark}. */
@NullMarked
package io.csi4j.benchmarks.testkit;

import org.jspecify.annotations.NullMarked;
