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
 * Finds what would be written down right after a fact, so that one transaction writes all of it. It is the
 * planner that says what follows, asked about the volume as it will be; each prefix of the answer is a state the
 * planner goes on from. Calls are never foreseen: what they rely on has to be on record first.
 */
final class FollowUpCommands {
    /** More than any chain there is: facts lead to a call, or to the end of a claim. */
    private static final int MOST = 4;

    private final Operations operations;

    FollowUpCommands(Operations operations) {
        this.operations = operations;
    }

    /**
     * Facts with what follows from them.
     *
     * @param state what they were planned with
     * @param volume the volume of that state
     * @param calls what will be under way once they are written
     * @param facts what is to be written first, at least one
     * @return those facts first; just them if they would be refused in that state
     */
    List<Command> of(StateReader state, Volume volume, InFlightSnapshot calls, List<Command> facts) {
        VolumePreview ahead = VolumePreview.of(state, volume);
        // All but the volume stays as it is in that state.
        PlanFacts known = PlanFacts.from(state, volume, operations.now())
                .defaultFencing(operations.ports().options().fencingPolicy())
                .calls(calls)
                .build();
        List<Command> all = new ArrayList<>(facts);
        int applied = 0;
        for (int round = 0; round < MOST; round++) {
            for (; applied < all.size(); applied++) {
                if (!ahead.apply(all.get(applied))) {
                    return all.subList(0, Math.max(applied, facts.size()));
                }
            }
            Optional<Volume> now = ahead.volume();
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
