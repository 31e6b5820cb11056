/** Operations on snapshots and group snapshots, which have no rows, so that callers make the calls themselves. */
@NullMarked
package io.csi4j.core.lifecycle.internal.snapshot;

import org.jspecify.annotations.NullMarked;
