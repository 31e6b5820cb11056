/** Operations on volumes and snapshots. They store the requests of callers, and make the calls that fulfil them. */
@NullMarked
package io.csi4j.core.lifecycle.internal.operation;

import org.jspecify.annotations.NullMarked;
