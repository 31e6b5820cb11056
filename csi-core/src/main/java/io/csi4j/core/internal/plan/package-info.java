/**
 * What is to be done for a volume now: pure functions of the volume and of facts about nodes, plugins and
 * time.
 *
 * <p>Publishing for a new claim, releasing, going on after a crash or a change of leader are one thing:
 * bring the volume to where its claims say it should be. {@link io.csi4j.core.internal.plan.VolumePlan} answers what
 * comes next; whoever asks performs it, writes down what came of it, and asks again. Skipping a step needs
 * a fact; what is not known is waited for.
 *
 * <pre>{@code
 * StateReader now = state.snapshot();
 * now.volume(key).ifPresent(volume -> {
 *     Plan plan = VolumePlan.of(volume, PlanFacts.from(now, volume, clock.instant()).build());
 *     plan.facts().forEach(fact -> fact.accept(writer));
 *     plan.calls().forEach(call -> call.accept(caller));
 *     plan.wakeAt().ifPresent(this::askAgainAt);
 * });
 * }</pre>
 */
@NullMarked
package io.csi4j.core.internal.plan;

import org.jspecify.annotations.NullMarked;
