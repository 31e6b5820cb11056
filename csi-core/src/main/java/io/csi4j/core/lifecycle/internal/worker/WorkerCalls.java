package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Makes the calls of one worker. Each future completes when the call's result is written, success or failure. It fails if the
 * result could not be written, or if the plugin refused permanently.
 */
final class WorkerCalls {
    private final Operations operations;
    private final Term term;
    private final IntentWork work;
    private final CallResults ends;

    WorkerCalls(Operations operations, Term term, IntentWork work, CallResults ends) {
        this.operations = operations;
        this.term = term;
        this.work = work;
        this.ends = ends;
    }

    CompletableFuture<?> create(VolumeKey key) {
        return guarded(() -> work.create(key));
    }

    CompletableFuture<?> delete(VolumeKey key) {
        return guarded(() -> work.delete(key));
    }

    CompletableFuture<?> expand(VolumeKey key) {
        return guarded(() -> work.expand(key));
    }

    CompletableFuture<?> expandOnNode(VolumeKey key, Claim claim) {
        return guarded(() -> work.expandOnNode(key, claim));
    }

    CompletableFuture<?> modify(VolumeKey key) {
        return guarded(() -> work.modify(key));
    }

    private static CompletableFuture<?> guarded(Supplier<CompletableFuture<?>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Calls the node to unpublish the volume for a claim. */
    CompletableFuture<?> detach(VolumeReading planned, Claim claim) {
        VolumeReading look = planned.again(operations);
        Volume volume = look.volume();
        if (volume == null || term.over() || !CallResults.releasing(volume, claim)) {
            // Another call has finished the step since this plan was made.
            return CompletableFuture.completedFuture(null);
        }
        int attempt = claim.retry().attempts() + 1;
        return operations
                .calls()
                .node(CallSubject.of(Rpc.NODE_UNPUBLISH_VOLUME, volume, attempt), claim.nodeId(), () -> {
                    // The call may have waited long for its permit.
                    if (term.over()
                            || !CallResults.releasing(look.again(operations).volume(), claim)) {
                        throw new OvertakenException(look.key(), claim.nodeId());
                    }
                    return operations.ports().gateway().detach(claim.nodeId(), NodeDetach.of(volume, claim));
                })
                .handle((done, failure) -> ends.detached(look.key(), claim, failure))
                .thenCompose(end -> ends.write(look.key(), end));
    }

    /** Calls ControllerPublishVolume. Fails with the plugin's response if the plugin refused permanently. */
    CompletableFuture<?> publish(VolumeReading planned, Attachment intent) {
        VolumeKey key = planned.key();
        return inTurn(
                planned,
                intent,
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                (look, secrets) -> operations
                        .calls()
                        .controller(
                                subject(Rpc.CONTROLLER_PUBLISH_VOLUME, volume(look), intent),
                                service -> service.controllerPublishVolume(
                                        RequestFactory.publish(checked(look, intent), intent, secrets)))
                        .handle((answer, failure) -> failure == null
                                ? ends.published(key, intent, answer.publishContext())
                                : ends.publishFailed(key, intent, Failures.of(failure))));
    }

    /** Calls ControllerUnpublishVolume. */
    CompletableFuture<?> unpublish(VolumeReading planned, Attachment intent) {
        VolumeKey key = planned.key();
        return inTurn(
                planned,
                intent,
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                (look, secrets) -> operations
                        .calls()
                        .controller(
                                subject(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume(look), intent),
                                service -> service.controllerUnpublishVolume(
                                        RequestFactory.unpublish(checked(look, intent), intent, secrets)))
                        .handle((answer, failure) -> failure == null
                                ? ends.unpublished(key, intent)
                                : ends.failed(key, intent, Failures.of(failure))));
    }

    private static CallSubject subject(Rpc rpc, Volume volume, Attachment intent) {
        return CallSubject.of(rpc, volume, intent.retry().attempts() + 1);
    }

    private CompletableFuture<Void> inTurn(
            VolumeReading planned,
            Attachment intent,
            Rpc rpc,
            BiFunction<VolumeReading, Secrets, CompletableFuture<CallResult>> call) {
        // InFlightCalls ensures that there is at most one call for each node.
        Volume volume = planned.volume();
        int most = volume == null ? 1 : operations.ports().options().callsPerVolume(volume.pluginId());
        return operations.turns().beside(planned.key(), most, () -> controllerCall(planned, intent, rpc, call));
    }

    /** Makes the call with a permit, after another check of the intent. */
    private CompletableFuture<Void> controllerCall(
            VolumeReading planned,
            Attachment intent,
            Rpc rpc,
            BiFunction<VolumeReading, Secrets, CompletableFuture<CallResult>> call) {
        VolumeReading look = planned.again(operations);
        if (!stands(look, intent)) {
            return CompletableFuture.completedFuture(null);
        }
        return operations
                .secrets(Caller.ENGINE, volume(look), rpc)
                .thenCompose(secrets -> call.apply(look, secrets))
                .exceptionally(failure -> ends.failed(look.key(), intent, Failures.of(failure)))
                .thenCompose(end -> ends.write(look.key(), end));
    }

    private static Volume volume(VolumeReading look) {
        return Optional.ofNullable(look.volume()).orElseThrow();
    }

    private boolean stands(VolumeReading look, Attachment intent) {
        Volume volume = look.volume();
        if (volume == null || term.over()) {
            return false;
        }
        Optional<Attachment> now = volume.attachments().on(intent.nodeId());
        return now.isPresent()
                && now.get().createIndex() == intent.createIndex()
                && now.get().state() == intent.state();
    }

    /**
     * Checks right before sending that the intent is still current, because the call may have waited long for its permit.
     */
    private Volume checked(VolumeReading look, Attachment intent) {
        if (!stands(look.again(operations), intent)) {
            throw new OvertakenException(look.key(), intent.nodeId());
        }
        return volume(look);
    }
}
