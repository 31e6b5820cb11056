/**
 * The workers of the leading engine, one for each volume with remaining work. A worker plans from the state, calls
 * plugins and stores the results.
 */
@NullMarked
package io.csi4j.core.lifecycle.internal.worker;

import org.jspecify.annotations.NullMarked;
