/** Operations on volumes and snapshots: intents of callers, and the calls that fulfil them. */
@NullMarked
package io.csi4j.core.lifecycle.internal.operation;

import org.jspecify.annotations.NullMarked;
