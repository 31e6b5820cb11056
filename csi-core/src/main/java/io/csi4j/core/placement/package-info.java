/**
 * What a scheduler asks before it places an allocation: on which nodes could it have its volumes?
 *
 * <p>The answer is that of the transaction that takes the claims: both ask {@link
 * io.csi4j.core.command.Admission} (I12). What the same plan of the scheduler places elsewhere counts as if
 * it were claimed, and what it stops as if it were released. To be sure of the place, reserve it: propose the allocation and its claims in one batch.
 *
 * <pre>{@code
 * FeasibleNodes feasible = FeasibleNodes.in(state.snapshot()).with(placedInThisPlan);
 * NodeAnswer answer = feasible.on(namespace, node, requests);
 * if (answer.admitted()) {
 *     log.submit(Reservation.of(allocation, requests)); // all of it, or nothing
 * }
 * }</pre>
 */
@NullMarked
package io.csi4j.core.placement;

import org.jspecify.annotations.NullMarked;
