package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.lifecycle.internal.worker.PluginOnNode;
import io.csi4j.core.lifecycle.internal.worker.WorkerEvents;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Brings the provider to where the state is: one drift after the other, each in its volume's turn and on
 * the state as it is then.
 */
final class DriftRepair {
    private final Operations operations;
    private final WorkerEvents events;

    DriftRepair(Operations operations, WorkerEvents events) {
        this.operations = operations;
        this.events = events;
    }

    /** What was found of volumes that had not changed since an index. */
    CompletableFuture<List<Drift>> all(List<Drift> drifts, long since) {
        CompletableFuture<List<Drift>> repaired = CompletableFuture.completedFuture(new ArrayList<>());
        for (Drift drift : drifts) {
            repaired = repaired.thenCompose(before -> one(drift, since).thenApply(done -> {
                before.add(done);
                return before;
            }));
        }
        return repaired;
    }

    private CompletableFuture<Drift> one(Drift drift, long since) {
        return operations.turns().in(drift.volume(), () -> inTurn(drift, since)).handle((result, failure) -> {
            if (failure != null && Failures.of(failure) instanceof OvertakenException) {
                return with(drift, Drift.Repair.OVERTAKEN);
            }
            if (failure != null) {
                FailureLog.warn(
                        "Volume " + drift.volume() + " could not be repaired (" + drift.kind()
                                + "); the next run tries again",
                        failure);
            }
            return with(drift, failure == null ? result : Drift.Repair.FAILED);
        });
    }

    private static Drift with(Drift drift, Drift.Repair result) {
        return new Drift(
                drift.kind(), drift.volume(), drift.externalVolumeId(), drift.externalNodeId(), Optional.of(result));
    }

    /** Those before it may have taken their time: an attachment that was made since was not the missing one. */
    private CompletableFuture<Drift.Repair> inTurn(Drift drift, long since) {
        Optional<Volume> volume =
                operations.state().volume(drift.volume()).filter(known -> known.phase() == VolumePhase.AVAILABLE);
        if (volume.isEmpty()) {
            return overtaken();
        }
        Optional<Attachment> attachment = attachment(volume.get(), drift.externalNodeId());
        if (drift.kind() == DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED) {
            return attachment
                    .filter(known -> known.state() == AttachmentState.PUBLISHED)
                    .filter(known -> known.createIndex() <= since)
                    .map(known -> publish(volume.get(), known))
                    .orElseGet(DriftRepair::overtaken);
        }
        return attachment.isPresent() || claimed(volume.get(), drift.externalNodeId())
                ? overtaken()
                : leave(volume.get(), drift.externalNodeId());
    }

    private static CompletableFuture<Drift.Repair> overtaken() {
        return CompletableFuture.completedFuture(Drift.Repair.OVERTAKEN);
    }

    private static Optional<Attachment> attachment(Volume volume, ExternalNodeId id) {
        for (Attachment attachment : volume.attachments()) {
            if (attachment.externalNodeId().equals(Optional.of(id))) {
                return Optional.of(attachment);
            }
        }
        return Optional.empty();
    }

    private static boolean claimed(Volume volume, ExternalNodeId id) {
        for (Claim claim : volume.claims()) {
            if (claim.externalNodeId().equals(Optional.of(id))) {
                return true;
            }
        }
        return false;
    }

    /** The same request as when it was published (R61), and its answer has to be the same. */
    private CompletableFuture<Drift.Repair> publish(Volume volume, Attachment attachment) {
        return operations
                .secrets(Caller.ENGINE, volume, Rpc.CONTROLLER_PUBLISH_VOLUME)
                .thenCompose(secrets -> operations
                        .calls()
                        .controller(CallSubject.of(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, 1), controller -> {
                            stands(volume, attachment);
                            return controller.controllerPublishVolume(
                                    RequestFactory.publish(volume, attachment, secrets));
                        }))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        PluginOnNode place = new PluginOnNode(volume.pluginId(), attachment.nodeId());
                        events.publishFailed(place, volume.key(), Failures.of(failure));
                    }
                })
                .thenCompose(answer -> operations.submit(new AttachmentCommand.RecordPublished(
                        volume.key(),
                        attachment.nodeId(),
                        attachment.createIndex(),
                        answer.publishContext(),
                        operations.now())))
                .thenApply(recorded -> Drift.Repair.DONE);
    }

    /**
     * Right before the request leaves: it may have waited long for secrets, for its place, or for an instance that gave no
     * answer, and another server may have released it meanwhile. Nobody would undo what is attached then.
     */
    private void stands(Volume volume, Attachment attachment) {
        boolean stands = operations
                .state()
                .volume(volume.key())
                .flatMap(now -> now.attachments().on(attachment.nodeId()))
                .filter(now ->
                        now.state() == AttachmentState.PUBLISHED && now.createIndex() == attachment.createIndex())
                .isPresent();
        if (!stands) {
            throw new OvertakenException(volume.key());
        }
    }

    /**
     * Nothing here wants it there, and no claim is on that node: the opposite call is safe (R62). It is written as an
     * intent, not made here: one that ended late could detach what was published since (I5).
     */
    private CompletableFuture<Drift.Repair> leave(Volume volume, ExternalNodeId id) {
        NodeId nodeId = ProviderReconciliation.nodes(operations.state(), volume.pluginId())
                .get(id);
        if (nodeId == null) {
            return overtaken();
        }
        return operations
                .submit(new AttachmentCommand.RecordOrphan(
                        volume.key(), nodeId, id, volume.modifyIndex(), operations.now()))
                .thenApply(recorded -> Drift.Repair.BEGUN)
                .exceptionallyCompose(failure -> Failures.of(failure) instanceof RejectedException
                        ? overtaken()
                        : CompletableFuture.failedFuture(Failures.of(failure)));
    }
}
