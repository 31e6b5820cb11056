/** Measures the library on a node: mounts in comparison with direct calls and writes, many volumes, recovery, and idle plugins. */
@NullMarked
package io.csi4j.benchmarks.node;

import org.jspecify.annotations.NullMarked;
