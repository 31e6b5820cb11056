/** Reports the CPU time of each thread, which is more exact than elapsed time on a busy machine. */
@NullMarked
package io.csi4j.benchmarks.threads;

import org.jspecify.annotations.NullMarked;
