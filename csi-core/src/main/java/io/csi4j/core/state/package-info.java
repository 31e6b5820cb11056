/**
 * The state as one sees it: {@link io.csi4j.core.state.StateReader} asks, {@link
 * io.csi4j.core.state.WritableState} changes rows, and {@link io.csi4j.core.state.CommandApplication}
 * decides what a command does to them. A store executes row changes and knows no rules.
 *
 * <pre>{@code
 * Outcome outcome = CommandApplication.apply(transaction, index, command);
 * if (outcome instanceof Outcome.Accepted) {
 *     transaction.commit();
 * } else {
 *     transaction.abort();
 * }
 * }</pre>
 */
@NullMarked
package io.csi4j.core.state;

import org.jspecify.annotations.NullMarked;
