package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.NodePaths;
import java.util.HashSet;
import java.util.Set;

/**
 * The state of a worker after its last step.
 *
 * @param lost the uses whose recorded mounts are missing
 * @param staged whether the recorded staging is present
 */
public record WorkerView(
        VolumeEntry entry, Set<AllocationId> lost, boolean staged, MountAction action, String lastError) {
    public WorkerView {
        lost = Set.copyOf(lost);
    }

    static WorkerView of(VolumeEntry entry, MountFacts facts, MountAction action, String lastError) {
        Set<AllocationId> lost = new HashSet<>();
        for (UseEntry use : entry.uses()) {
            if (facts.lost(use)) {
                lost.add(use.allocationId());
            }
        }
        StagingEntry staging = entry.staging();
        boolean staged = staging != null && staging.phase() != StagingPhase.STAGING && !facts.lost(staging);
        return new WorkerView(entry, lost, staged, action, lastError);
    }

    /** Returns whether the volume has no uses, mounts or work left, so that callers no longer see it. */
    public boolean isGone() {
        return action instanceof MountAction.Forget && lastError.isEmpty();
    }

    String waitingFor() {
        if (action instanceof MountAction.Await await) {
            return await.reason().text;
        }
        if (action instanceof MountAction.DirectUnmount) {
            return "its target is being unmounted without the plugin";
        }
        return action.isCall() ? "a call to its plugin is under way" : "";
    }

    /** Returns the reason why the worker waits; empty if it does not wait. */
    String reason() {
        String waiting = waitingFor().isEmpty() ? "it had no turn yet" : waitingFor();
        return lastError.isEmpty() ? waiting : waiting + "; last error: " + lastError;
    }

    /** Converts this view to the status that the public API returns. */
    public NodeVolumeStatus status(NodePaths paths) {
        return new NodeVolumeStatus(
                entry.key(),
                staged,
                entry.uses().stream()
                        .map(use -> new NodeVolumeStatus.Use(
                                use.allocationId(), paths.target(entry.key(), use.allocationId()), state(use)))
                        .toList(),
                waitingFor(),
                lastError);
    }

    private NodeVolumeStatus.State state(UseEntry use) {
        return switch (use.phase()) {
            case WANTED, PUBLISHING, RESETTING -> NodeVolumeStatus.State.MOUNTING;
            case PUBLISHED ->
                lost.contains(use.allocationId()) ? NodeVolumeStatus.State.MOUNTING : NodeVolumeStatus.State.MOUNTED;
            case LEAVING -> NodeVolumeStatus.State.UNMOUNTING;
        };
    }
}
