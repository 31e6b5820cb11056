/**
 * Plans the next steps for a volume, by pure functions of the volume and of facts about nodes, plugins and time.
 *
 * <p>Publishing for a new claim, releasing, and resuming after a crash or a change of leader are one task: to publish and unpublish the volume as its claims require. {@link io.csi4j.core.internal.plan.VolumePlan} returns
 * the next steps; the worker performs them, records the results, and plans again. A step is left out only because of a known fact; while a fact is unknown, the plan waits.
 *
 * <pre>{@code
 * StateReader now = state.snapshot();
 * now.volume(key).ifPresent(volume -> {
 *     Plan plan = VolumePlan.of(volume, PlanFacts.from(now, volume, clock.instant()).build());
 *     plan.facts().forEach(writer::write);
 *     plan.calls().forEach(caller::begin);
 *     plan.wakeAt().ifPresent(this::planAgainAt);
 * });
 * }</pre>
 */
@NullMarked
package io.csi4j.core.internal.plan;

import org.jspecify.annotations.NullMarked;
