/** Calls to plugins and commands to the log, with their limits and retries. */
@NullMarked
package io.csi4j.core.lifecycle.internal.call;

import org.jspecify.annotations.NullMarked;
