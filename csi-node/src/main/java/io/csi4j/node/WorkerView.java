package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.util.HashSet;
import java.util.Set;

/**
 * The state of a worker after its last step.
 *
 * @param lost whose mounts are on record and not there
 * @param staged whether what is on record as staged is there
 */
record WorkerView(VolumeEntry entry, Set<AllocationId> lost, boolean staged, MountAction action, String lastError) {
    WorkerView {
        lost = Set.copyOf(lost);
    }

    static WorkerView of(VolumeEntry entry, MountFacts facts, MountAction action, String lastError) {
        Set<AllocationId> lost = new HashSet<>();
        for (UserEntry user : entry.users()) {
            if (facts.lost(user)) {
                lost.add(user.allocationId());
            }
        }
        StagingEntry staging = entry.staging();
        boolean staged = staging != null && staging.phase() != StagingPhase.STAGING && !facts.lost(staging);
        return new WorkerView(entry, lost, staged, action, lastError);
    }

    /** Whether nothing is left of the volume but what nobody has to wait for. */
    boolean isGone() {
        return action instanceof MountAction.Forget && lastError.isEmpty();
    }

    String waitingFor() {
        if (action instanceof MountAction.Await await) {
            return await.why().text;
        }
        if (action instanceof MountAction.DirectUnmount) {
            return "its target is being unmounted without the plugin";
        }
        return action.isCall() ? "a call to its plugin is under way" : "";
    }

    /** Why something is not done yet. */
    String reason() {
        String waiting = waitingFor().isEmpty() ? "it had no turn yet" : waitingFor();
        return lastError.isEmpty() ? waiting : waiting + "; last error: " + lastError;
    }
}
