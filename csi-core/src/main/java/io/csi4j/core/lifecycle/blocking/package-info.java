/** Blocking variants of the engine's operations, for programs that do not use futures. */
@NullMarked
package io.csi4j.core.lifecycle.blocking;

import org.jspecify.annotations.NullMarked;
