/**
 * Measures the cost of the typed client against raw generated stubs; see {@link
 * io.csi4j.benchmarks.client.ClientBenchmark}.
 */
@NullMarked
package io.csi4j.benchmarks.client;

import org.jspecify.annotations.NullMarked;
