/** The engine for programs without futures: the same operations, each of which waits for its result. */
@NullMarked
package io.csi4j.core.lifecycle.blocking;

import org.jspecify.annotations.NullMarked;
