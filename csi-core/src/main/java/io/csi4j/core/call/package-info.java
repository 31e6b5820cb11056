/**
 * The result of a call to a plugin: the {@link io.csi4j.core.call.Rpc RPC}, its {@link io.csi4j.core.call.CallOutcome outcome}, and
 * the exceptions that carry both.
 *
 * <p>An outcome is a value of an enum, so that no caller has to read texts. A caller uses it to decide the next step:
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
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.call;

import org.jspecify.annotations.NullMarked;
