/** The way over an agent, beside the same calls made directly. */
@NullMarked
package io.csi4j.benchmarks.agent;

import org.jspecify.annotations.NullMarked;
