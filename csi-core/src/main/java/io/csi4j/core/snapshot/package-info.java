/** The rows of snapshots in the state. */
@NullMarked
package io.csi4j.core.snapshot;

import org.jspecify.annotations.NullMarked;
