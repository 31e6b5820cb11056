/** Queries of providers, and the repair of differences between providers and the state. */
@NullMarked
package io.csi4j.core.lifecycle.internal.reconcile;

import org.jspecify.annotations.NullMarked;
