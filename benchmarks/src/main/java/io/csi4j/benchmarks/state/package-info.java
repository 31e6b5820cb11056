/**
 * Measures the cost of the state store in comparison with the same rows in plain hash maps; see {@link
 * io.csi4j.benchmarks.state.StateBenchmark}.
 */
@NullMarked
package io.csi4j.benchmarks.state;

import org.jspecify.annotations.NullMarked;
