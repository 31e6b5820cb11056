package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.lifecycle.internal.step.PublishStep;
import io.csi4j.core.lifecycle.internal.step.StepEvents;
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
import java.util.function.BooleanSupplier;

/**
 * Repairs differences between the state and the storage provider, one after the other. Each repair runs in the serial
 * execution of its volume and reads the current state.
 */
final class DriftRepair {
    private final Operations operations;
    private final StepEvents events;
    private final BooleanSupplier mayCall;

    DriftRepair(Operations operations, StepEvents events, BooleanSupplier mayCall) {
        this.operations = operations;
        this.events = events;
        this.mayCall = mayCall;
    }

    /**
     * Repairs the differences of all volumes that have not changed after the given index.
     *
     * @param stopped returns whether no further repair may begin; the remaining differences then have no repair
     */
    CompletableFuture<List<Drift>> all(List<Drift> drifts, long since, BooleanSupplier stopped) {
        CompletableFuture<List<Drift>> repaired = CompletableFuture.completedFuture(new ArrayList<>());
        for (Drift drift : drifts) {
            repaired = repaired.thenCompose(
                    before -> (stopped.getAsBoolean() ? CompletableFuture.completedFuture(drift) : one(drift, since))
                            .thenApply(done -> {
                                before.add(done);
                                return before;
                            }));
        }
        return repaired;
    }

    private CompletableFuture<Drift> one(Drift drift, long since) {
        return operations
                .volumeCalls()
                .exclusively(drift.volume(), () -> serially(drift, since))
                .handle((result, failure) -> {
                    if (failure != null && Futures.unwrap(failure) instanceof OvertakenException) {
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

    /**
     * Repairs one difference in the serial execution of its volume. Skips an attachment that has changed after the
     * given index.
     */
    private CompletableFuture<Drift.Repair> serially(Drift drift, long since) {
        Optional<Volume> volume =
                operations.state().volume(drift.volume()).filter(known -> known.phase() != VolumePhase.CREATING);
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
                : storeUnpublishIntent(volume.get(), drift.externalNodeId());
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

    /**
     * Sends ControllerPublishVolume again with the same request (R61). The response has to be the same as the stored
     * one.
     */
    private CompletableFuture<Drift.Repair> publish(Volume volume, Attachment attachment) {
        return operations
                .secrets()
                .of(Caller.ENGINE, volume, Rpc.CONTROLLER_PUBLISH_VOLUME)
                .thenCompose(secrets -> operations
                        .calls()
                        .controller(
                                CallSubject.of(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, 1)
                                        .on(attachment.nodeId()),
                                controller -> {
                                    checkStillExists(volume, attachment);
                                    return controller.controllerPublishVolume(
                                            PublishStep.request(volume, attachment, secrets));
                                }))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        PluginOnNode pluginOnNode = new PluginOnNode(volume.pluginId(), attachment.nodeId());
                        events.publishFailed(pluginOnNode, volume.key(), Futures.unwrap(failure));
                    }
                })
                .thenCompose(answer -> operations.submit(new AttachmentCommand.RecordPublished(
                        volume.key(),
                        attachment.nodeId(),
                        attachment.createIndex(),
                        answer.publishContext(),
                        operations.now())))
                .thenApply(recorded -> Drift.Repair.DONE)
                .exceptionallyCompose(failure -> rejected(failure) && stillHasRow(volume, attachment)
                        ? overtaken()
                        : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    private static boolean rejected(Throwable failure) {
        return Futures.unwrap(failure) instanceof RejectedException;
    }

    /**
     * Returns whether the state still has the attachment. If the state has rejected the result of the repair, the
     * attachment is then being released. The volume's worker unpublishes it, including the effect of the call that the
     * repair made.
     */
    private boolean stillHasRow(Volume volume, Attachment attachment) {
        return operations
                .state()
                .volume(volume.key())
                .flatMap(now -> now.attachments().same(attachment))
                .isPresent();
    }

    /**
     * Checks right before the call is sent that the attachment still exists, and that this engine leads. The call may have waited long for secrets,
     * a permit or an instance, and another server may have released the attachment in the meantime. The call would then
     * publish the volume, although no row of the state would cause it to be unpublished again.
     */
    private void checkStillExists(Volume volume, Attachment attachment) {
        boolean stands = operations
                .state()
                .volume(volume.key())
                .flatMap(now -> now.attachments().same(attachment))
                .filter(now -> now.state() == AttachmentState.PUBLISHED)
                .isPresent();
        if (!stands) {
            throw new OvertakenException(volume.key());
        }
        if (!mayCall.getAsBoolean()) {
            // The state of a follower may be so old that the leader has detached the volume since.
            throw new NotLeadingException();
        }
    }

    /**
     * Stores the intent to unpublish the volume from a node without claims, which is safe (R62). The call is not made
     * here, because a call that ends late could detach a newer attachment.
     */
    private CompletableFuture<Drift.Repair> storeUnpublishIntent(Volume volume, ExternalNodeId id) {
        NodeId nodeId = ProviderReconciliation.nodes(operations.state(), volume.pluginId())
                .get(id);
        if (nodeId == null) {
            return overtaken();
        }
        return operations
                .submit(new AttachmentCommand.RecordOrphan(
                        volume.key(), nodeId, id, volume.modifyIndex(), operations.now()))
                .thenApply(recorded -> Drift.Repair.BEGUN)
                .exceptionallyCompose(failure ->
                        rejected(failure) ? overtaken() : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }
}
