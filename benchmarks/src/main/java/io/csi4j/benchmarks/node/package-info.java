/** Measures the node side: mounts against direct calls and writes, many volumes, recovery, and idle plugins. */
@NullMarked
package io.csi4j.benchmarks.node;

import org.jspecify.annotations.NullMarked;
