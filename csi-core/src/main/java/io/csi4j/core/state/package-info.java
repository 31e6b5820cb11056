/**
 * The interfaces of the state: {@link io.csi4j.core.state.StateReader} reads rows, {@link
 * io.csi4j.core.state.WritableState} changes rows, and {@link io.csi4j.core.state.CommandApplication} decides which
 * rows a command changes. A store only stores rows and contains no rules.
 *
 * <pre>{@code
 * Outcome outcome = CommandApplication.apply(transaction, index, command);
 * if (outcome instanceof Outcome.Accepted) {
 *     transaction.commit(index);
 * } else {
 *     transaction.close(); // Discards the changes.
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.state;

import org.jspecify.annotations.NullMarked;
