/** The node side: mounts against the bare calls and writes, many volumes, recovery, and plugins that idle. */
@NullMarked
package io.csi4j.benchmarks.node;

import org.jspecify.annotations.NullMarked;
