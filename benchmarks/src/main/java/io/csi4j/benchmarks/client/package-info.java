/**
 * Measures the cost of the typed client in comparison with the stubs that gRPC generates; see {@link
 * io.csi4j.benchmarks.client.ClientBenchmark}.
 */
@NullMarked
package io.csi4j.benchmarks.client;

import org.jspecify.annotations.NullMarked;
