/** The durable and replicated command log, beside a counter on Apache Ratis without csi4j. */
@NullMarked
package io.csi4j.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
