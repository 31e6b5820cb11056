/**
 * Serial execution, backoff, timeouts and helpers for futures, for all modules of csi4j. Not part of the API.
 *
 * <p>The host's executor has to accept tasks until the {@code close()} method of each object that uses the executor has
 * returned. If the executor rejects a task, the operation ends with a clear error. The executor must not run a task on
 * the thread that submits it. Futures are completed outside of serial sections, so a callback may block, or may call
 * csi4j again.
 */
@NullMarked
package io.csi4j.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
