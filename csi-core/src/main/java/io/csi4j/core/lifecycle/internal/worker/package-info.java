/** The worker of each volume: it plans from the state, calls plugins, and writes the results. */
@NullMarked
package io.csi4j.core.lifecycle.internal.worker;

import org.jspecify.annotations.NullMarked;
