/** Measures the durable and replicated command log in comparison with a counter on Apache Ratis without csi4j. */
@NullMarked
package io.csi4j.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
