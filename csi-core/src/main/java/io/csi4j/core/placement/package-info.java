/**
 * Computes for a scheduler, before a placement, on which nodes an allocation could claim its volumes.
 *
 * <p>The answer equals that of the transaction that takes the claims, because both use the same function.
 * Earlier placements of the same plan count as claimed, and stopped allocations as released. A reservation makes the answer
 * certain: it submits the allocation and its claims in one batch.
 *
 * <pre>{@code
 * FeasibleNodes feasible = FeasibleNodes.in(state.snapshot()).with(placedInThisPlan);
 * NodeAnswer answer = feasible.on(placement.namespace(), placement.nodeId(), placement.requests());
 * if (answer.admitted()) {
 *     log.submit(placement.reservation(clock.instant())); // all of it, or nothing
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.placement;

import org.jspecify.annotations.NullMarked;
