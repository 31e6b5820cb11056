package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.apply.VolumePreview;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Adds follow-up commands to the commands of a transition, so that one transaction stores them all. The follow-ups are
 * the commands that the planner would plan next, for the volume as it will be after the transition. The engine can
 * resume after each of these commands, so it may also store the follow-ups in a later transaction. Calls are never
 * follow-ups, because the intent of a call has to be stored before the call.
 */
final class FollowUpCommands {
    /**
     * The largest number of rounds of follow-ups for one transition. It is only a safeguard: each chain of follow-ups
     * ends before this number, with a call or with the end of a claim.
     */
    private static final int MAX = 4;

    private final Operations operations;
    private final NodeTimes nodeTimes;

    FollowUpCommands(Operations operations, NodeTimes nodeTimes) {
        this.operations = operations;
        this.nodeTimes = nodeTimes;
    }

    /**
     * Returns commands with their follow-ups.
     *
     * @param state the state for which the commands were planned
     * @param volume the volume of that state
     * @param calls the calls that will be in flight when the commands are submitted
     * @param facts the commands to submit first, at least one
     * @return the given commands and then their follow-ups, up to the first follow-up that the state would reject
     */
    List<Command> of(StateReader state, Volume volume, InFlightSnapshot calls, List<Command> facts) {
        VolumePreview preview = VolumePreview.of(state, volume);
        // The commands are applied only to the preview of the volume. Nodes, allocations and plugins are read from the
        // given state. Requests to fence nodes are left out, because they do not change the transitions of a plan.
        PlanFacts known = VolumeWorkers.facts(operations.ports(), state, volume, operations.now())
                .calls(calls)
                .inStatus(nodeTimes::inStatus)
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
        plan.facts().forEach(fact -> all.add(commands.of(fact)));
        return !plan.facts().isEmpty();
    }
}
