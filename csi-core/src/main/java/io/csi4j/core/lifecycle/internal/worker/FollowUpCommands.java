package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumePreview;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Adds the follow-ups of a transition, so that one transaction writes them all. The planner decides the follow-ups, by planning
 * for the volume as it will be; the engine can resume from each prefix of the result. Calls are never follow-ups, because
 * their intents have to be persisted first.
 */
final class FollowUpCommands {
    /** // The longest chain is shorter: transitions end in a call, or in the end of a claim. */
    private static final int MAX = 4;

    private final Operations operations;

    FollowUpCommands(Operations operations) {
        this.operations = operations;
    }

    /**
     * Returns commands with their follow-ups.
     *
     * @param state the state for which the commands were planned
     * @param volume the volume of that state
     * @param calls the calls in flight once the commands are written
     * @param facts the commands to write first, at least one
     * @return the commands followed by their follow-ups; only the commands if that state would reject them
     */
    List<Command> of(StateReader state, Volume volume, InFlightSnapshot calls, List<Command> facts) {
        VolumePreview preview = VolumePreview.of(state, volume);
        // Only the volume changes; the rest of the facts stays as in that state.
        PlanFacts known = PlanFacts.from(state, volume, operations.now())
                .defaultFencing(operations.ports().options().fencingPolicy())
                .calls(calls)
                .build();
        List<Command> all = new ArrayList<>(facts);
        int applied = 0;
        for (int round = 0; round < MAX; round++) {
            for (; applied < all.size(); applied++) {
                if (!preview.apply(all.get(applied))) {
                    return all.subList(0, Math.max(applied, facts.size()));
                }
            }
            Optional<Volume> now = preview.volume();
            if (now.isEmpty() || !add(all, now.get(), known)) {
                return all;
            }
        }
        return all.subList(0, applied);
    }

    private static boolean add(List<Command> all, Volume volume, PlanFacts known) {
        Plan plan = VolumePlan.of(volume, known);
        TransitionCommands commands = new TransitionCommands(volume, known.now());
        plan.facts().forEach(fact -> all.add(fact.accept(commands)));
        return !plan.facts().isEmpty();
    }
}
