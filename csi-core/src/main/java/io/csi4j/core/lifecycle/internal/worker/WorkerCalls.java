package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * Makes the calls of one worker. A future completes normally when the result of the call is stored, also if the call
 * failed and will be retried. It fails if the plugin refused permanently, or if the result could not be stored.
 */
final class WorkerCalls {
    private final Operations operations;
    private final Term term;
    private final CallResults ends;

    WorkerCalls(Operations operations, Term term, CallResults ends) {
        this.operations = operations;
        this.term = term;
        this.ends = ends;
    }

    /** Calls the node of a claim to unpublish the volume. */
    CompletableFuture<Void> detach(VolumeReading planned, Claim claim) {
        VolumeReading snapshot = planned.again(operations);
        Volume volume = snapshot.volume();
        if (volume == null || term.ended() || !CallResults.releasing(volume, claim)) {
            // No call is needed or allowed: since the plan was made, the claim was detached from its node by another
            // call, or the term of leadership has ended.
            return CompletableFuture.completedFuture(null);
        }
        int attempt = claim.retry().attempts() + 1;
        return operations
                .calls()
                .node(CallSubject.of(Rpc.NODE_UNPUBLISH_VOLUME, volume, attempt), claim.nodeId(), () -> {
                    // The state is checked again, because the call may have waited long for its permit.
                    if (term.ended()
                            || !CallResults.releasing(snapshot.again(operations).volume(), claim)) {
                        throw new OvertakenException(snapshot.key(), claim.nodeId());
                    }
                    return operations.ports().gateway().detach(claim.nodeId(), NodeDetach.of(volume, claim));
                })
                .handle((answer, failure) -> ends.detached(snapshot.key(), claim, answer, failure))
                .thenCompose(end -> ends.write(end));
    }

    /** Calls ControllerPublishVolume. If the plugin refuses permanently, the future fails with the plugin's error. */
    CompletableFuture<Void> publish(VolumeReading planned, Attachment intent) {
        VolumeKey key = planned.key();
        return serially(
                planned,
                intent,
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                (snapshot, secrets) -> operations
                        .calls()
                        .controller(
                                subject(Rpc.CONTROLLER_PUBLISH_VOLUME, volume(snapshot), intent),
                                service -> service.controllerPublishVolume(
                                        RequestFactory.publish(checked(snapshot, intent), intent, secrets)))
                        .handle((answer, failure) -> failure == null
                                ? ends.published(key, intent, answer.publishContext())
                                : ends.publishFailed(key, intent, Futures.unwrap(failure))));
    }

    CompletableFuture<Void> unpublish(VolumeReading planned, Attachment intent) {
        VolumeKey key = planned.key();
        return serially(
                planned,
                intent,
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                (snapshot, secrets) -> operations
                        .calls()
                        .controller(
                                subject(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume(snapshot), intent),
                                service -> service.controllerUnpublishVolume(
                                        RequestFactory.unpublish(checked(snapshot, intent), intent, secrets)))
                        .handle((answer, failure) -> failure == null
                                ? ends.unpublished(key, intent)
                                : ends.failed(key, intent, Futures.unwrap(failure))));
    }

    private static CallSubject subject(Rpc rpc, Volume volume, Attachment intent) {
        return CallSubject.of(rpc, volume, intent.retry().attempts() + 1).on(intent.nodeId());
    }

    private CompletableFuture<Void> serially(
            VolumeReading planned,
            Attachment intent,
            Rpc rpc,
            BiFunction<VolumeReading, Secrets, CompletableFuture<ResultCommands>> call) {
        // Uses the volume as it was when the plan was made, without reading it again. This is safe, because
        // InFlightCalls admits only one call for this volume and node at a time.
        Volume volume = planned.volume();
        int max = volume == null ? 1 : operations.ports().options().callsPerVolume(volume.pluginId());
        return operations
                .callQueues()
                .concurrently(planned.key(), max, () -> controllerCall(planned, intent, rpc, call));
    }

    /** Sends the call once it has a permit and the intent has been checked again. */
    private CompletableFuture<Void> controllerCall(
            VolumeReading planned,
            Attachment intent,
            Rpc rpc,
            BiFunction<VolumeReading, Secrets, CompletableFuture<ResultCommands>> call) {
        VolumeReading snapshot = planned.again(operations);
        if (!isCurrent(snapshot, intent)) {
            return CompletableFuture.completedFuture(null);
        }
        return operations
                .secrets(Caller.ENGINE, volume(snapshot), rpc)
                .thenCompose(secrets -> call.apply(snapshot, secrets))
                .exceptionally(failure -> ends.failed(snapshot.key(), intent, Futures.unwrap(failure)))
                .thenCompose(end -> ends.write(end));
    }

    private static Volume volume(VolumeReading snapshot) {
        return Optional.ofNullable(snapshot.volume()).orElseThrow();
    }

    private boolean isCurrent(VolumeReading snapshot, Attachment intent) {
        Volume volume = snapshot.volume();
        return volume != null
                && !term.ended()
                && volume.attachments()
                        .same(intent)
                        .filter(now -> now.state() == intent.state()
                                && now.externalNodeId().equals(intent.externalNodeId()))
                        .isPresent()
                && (intent.state() != AttachmentState.UNPUBLISHING
                        || volume.claims().on(intent.nodeId()).notNodeDetached() == 0);
    }

    /**
     * Checks right before a call is sent that its intent is still current, because the call may have waited long for
     * its permit. Throws an {@link OvertakenException} if it is not. Returns the volume of the earlier reading.
     */
    private Volume checked(VolumeReading snapshot, Attachment intent) {
        if (!isCurrent(snapshot.again(operations), intent)) {
            throw new OvertakenException(snapshot.key(), intent.nodeId());
        }
        return volume(snapshot);
    }
}
