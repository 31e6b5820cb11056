package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlannedCall;
import io.csi4j.core.lifecycle.internal.worker.InFlightCalls.Side;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Starts the steps of one plan: submits its transitions in one transaction and sends its calls. */
final class PlanExecutor implements PlannedCall.Cases<Runnable> {
    /** The value that replaces the node id in calls that are not about a node. */
    private static final NodeId NO_NODE = NodeId.of("-");

    private final PlanningLoop work;
    private final VolumeWorkers workers;
    private final IntentWork intents;
    private final WorkerCalls calls;
    private final VolumeSnapshot snapshot;
    private final Volume volume;
    private final Instant now;

    PlanExecutor(PlanningLoop work, VolumeSnapshot snapshot, Volume volume, Instant now) {
        this.work = work;
        this.workers = work.worker().workers();
        this.intents = workers.intents();
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

    /** Sends a call. The call counts as in flight until its result is stored. */
    private void begin(Side side, NodeId nodeId, Supplier<CompletableFuture<Void>> call) {
        // The callback below uses only these local variables. If it used this object's fields, it would keep the
        // snapshot of the state in memory during a long call.
        VolumeKey key = snapshot.key();
        VolumeWorkers those = workers;
        InFlightCalls inFlightCalls = those.inFlightCalls();
        if (!inFlightCalls.begin(key, side, nodeId)) {
            // The same call is already in flight, so it is not sent again. The worker plans for the volume when that
            // call ends.
            return;
        }
        var unused = Futures.start(call).whenComplete((done, failure) -> {
            inFlightCalls.end(key, side, nodeId);
            if (those.term().ended()) {
                those.events().lateCallEnded(key);
                return;
            }
            those.callEnded(key, nodeId, failure == null ? null : Futures.unwrap(failure));
        });
    }

    @Override
    public Runnable createVolume(PlannedCall.CreateVolume call) {
        return () -> begin(Side.VOLUME, NO_NODE, () -> intents.create(snapshot.key()));
    }

    @Override
    public Runnable deleteVolume(PlannedCall.DeleteVolume call) {
        return () -> begin(Side.VOLUME, NO_NODE, () -> intents.delete(snapshot.key()));
    }

    @Override
    public Runnable expandVolume(PlannedCall.ExpandVolume call) {
        return () -> begin(Side.VOLUME, NO_NODE, () -> intents.expand(snapshot.key()));
    }

    @Override
    public Runnable modifyVolume(PlannedCall.ModifyVolume call) {
        return () -> begin(Side.VOLUME, NO_NODE, () -> intents.modify(snapshot.key()));
    }

    @Override
    public Runnable nodeExpand(PlannedCall.NodeExpand call) {
        Claim claim = volume.claims().get(call.allocationId()).orElseThrow();
        return () -> begin(Side.NODE, call.nodeId(), () -> intents.expandOnNode(snapshot.key(), claim));
    }

    private Attachment attachment(NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow();
    }

    @Override
    public Runnable controllerPublish(PlannedCall.ControllerPublish call) {
        Attachment attachment = attachment(call.nodeId());
        return () -> begin(Side.CONTROLLER, call.nodeId(), () -> calls.publish(VolumeReading.in(snapshot), attachment));
    }

    @Override
    public Runnable nodeDetach(PlannedCall.NodeDetach call) {
        Claim claim = volume.claims().get(call.allocationId()).orElseThrow();
        return () -> begin(Side.NODE, call.nodeId(), () -> calls.detach(VolumeReading.in(snapshot), claim));
    }

    @Override
    public Runnable controllerUnpublish(PlannedCall.ControllerUnpublish call) {
        Attachment attachment = attachment(call.nodeId());
        return () ->
                begin(Side.CONTROLLER, call.nodeId(), () -> calls.unpublish(VolumeReading.in(snapshot), attachment));
    }

    @Override
    public Runnable requestFence(PlannedCall.RequestFence call) {
        return () -> workers.fences().ask(snapshot.state(), call.nodeId(), workers.term());
    }
}
