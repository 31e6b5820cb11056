/** Queries of storage providers, and the repair of differences between them and the state. */
@NullMarked
package io.csi4j.core.lifecycle.internal.reconcile;

import org.jspecify.annotations.NullMarked;
