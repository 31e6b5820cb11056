/**
 * Serial execution, backoff, timeouts and helpers for futures, for all modules of csi4j. Not part of the API.
 *
 * <p>The host's executor has to accept tasks until {@code close()} of the part that uses it has returned. If it rejects
 * a task, the operation ends with a clear error. It must not run a task on the thread that submits it. Futures are
 * completed outside of serial sections, so a callback may block, or may call csi4j again.
 */
@NullMarked
package io.csi4j.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
