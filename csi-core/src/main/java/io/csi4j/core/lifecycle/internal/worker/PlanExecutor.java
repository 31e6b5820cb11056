package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlannedCall;
import io.csi4j.core.lifecycle.internal.step.CallSteps;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Starts the steps of one plan: submits its transitions in one transaction and sends its calls. */
final class PlanExecutor implements PlannedCall.Cases<Runnable> {
    private final PlanningLoop work;
    private final VolumeWorkers workers;
    private final CallSteps steps;
    private final CallRunner calls;
    private final VolumeSnapshot snapshot;
    private final Volume volume;
    private final Instant now;

    PlanExecutor(PlanningLoop work, VolumeSnapshot snapshot, Volume volume, Instant now) {
        this.work = work;
        this.workers = work.worker().workers();
        this.steps = workers.steps();
        this.calls = workers.calls();
        this.snapshot = snapshot;
        this.volume = volume;
        this.now = now;
    }

    void begin(Plan plan) {
        TransitionCommands commands = new TransitionCommands(volume, now);
        List<Command> facts = new ArrayList<>(2);
        plan.facts().forEach(fact -> facts.add(fact.accept(commands)));
        plan.calls().forEach(call -> call.accept(this).run());
        if (!facts.isEmpty()) {
            work.write(snapshot, volume, facts);
        }
    }

    @Override
    public Runnable createVolume(PlannedCall.CreateVolume call) {
        return () -> calls.begin(steps.create(volume));
    }

    @Override
    public Runnable deleteVolume(PlannedCall.DeleteVolume call) {
        return () -> calls.begin(steps.delete(volume));
    }

    @Override
    public Runnable expandVolume(PlannedCall.ExpandVolume call) {
        return () -> calls.begin(steps.expand(volume));
    }

    @Override
    public Runnable modifyVolume(PlannedCall.ModifyVolume call) {
        return () -> calls.begin(steps.modify(volume));
    }

    @Override
    public Runnable nodeExpand(PlannedCall.NodeExpand call) {
        return () -> calls.begin(steps.expandOnNode(volume, call.allocationId()));
    }

    @Override
    public Runnable controllerPublish(PlannedCall.ControllerPublish call) {
        return () -> calls.begin(steps.publish(volume, call.nodeId()));
    }

    @Override
    public Runnable nodeDetach(PlannedCall.NodeDetach call) {
        return () -> calls.begin(steps.detach(volume, call.allocationId()));
    }

    @Override
    public Runnable controllerUnpublish(PlannedCall.ControllerUnpublish call) {
        return () -> calls.begin(steps.unpublish(volume, call.nodeId()));
    }

    @Override
    public Runnable requestFence(PlannedCall.RequestFence call) {
        return () -> workers.fences().ask(snapshot.state(), call.nodeId(), workers.term());
    }
}
