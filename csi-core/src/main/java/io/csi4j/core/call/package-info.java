/**
 * What is known about a call to a plugin: which {@link io.csi4j.core.call.Rpc RPC} it was, how it
 * {@link io.csi4j.core.call.CallOutcome ended}, and the exceptions that carry both.
 *
 * <p>An outcome is data, never text. A caller that has to decide asks for it:
 *
 * <pre>{@code
 * void decide(CsiCallException failure) {
 *     switch (failure.outcome()) {
 *         case OUTCOME_UNKNOWN -> replay();        // or call the opposite RPC
 *         case RETRY_AFTER_CAUSE -> retryLater();
 *         default -> giveUp();
 *     }
 * }
 * }</pre>
 */
@NullMarked
package io.csi4j.core.call;

import org.jspecify.annotations.NullMarked;
