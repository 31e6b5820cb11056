/** Measures calls through an agent against the same calls of a direct client. */
@NullMarked
package io.csi4j.benchmarks.agent;

import org.jspecify.annotations.NullMarked;
