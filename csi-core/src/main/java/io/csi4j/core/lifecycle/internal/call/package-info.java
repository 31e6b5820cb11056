/** Calls of plugins and commands of the engine, with their limits and retries. */
@NullMarked
package io.csi4j.core.lifecycle.internal.call;

import org.jspecify.annotations.NullMarked;
