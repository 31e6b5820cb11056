/** Calls of plugins, commands, and the limits and retries around both. */
@NullMarked
package io.csi4j.core.lifecycle.internal.call;

import org.jspecify.annotations.NullMarked;
