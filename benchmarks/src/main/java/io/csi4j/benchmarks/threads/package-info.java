/** Tells what the threads of a benchmark run for: not the clock on the wall, the machine may be busy with other things. */
@NullMarked
package io.csi4j.benchmarks.threads;

import org.jspecify.annotations.NullMarked;
