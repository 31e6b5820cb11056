/**
 * Serial execution, backoff, timeouts and helpers for futures, for all modules of csi4j. Not part of the API.
 *
 * <p>The executor of the host accepts tasks until {@code close()} of the part that uses it has completed; a task that it
 * rejects ends the operation with a clear error. It does not run a task on the thread that hands it in. Futures are
 * completed outside of serial sections, so a callback may block or call back in.
 */
@NullMarked
package io.csi4j.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
