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
 * The calls a lane makes. Each future completes once what came of the call is written, be it a failure. It
 * fails if that could not be written, or if the plugin refused for good.
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

    /** The node's part of a release. */
    CompletableFuture<?> detach(VolumeReading planned, Claim claim) {
        VolumeReading look = planned.again(operations);
        Volume volume = look.volume();
        if (volume == null || term.over() || !CallResults.releasing(volume, claim)) {
            // The plan was made before this call counted as under way; another one has done it since.
            return CompletableFuture.completedFuture(null);
        }
        int attempt = claim.retry().attempts() + 1;
        return operations
                .calls()
                .node(CallSubject.of(Rpc.NODE_UNPUBLISH_VOLUME, volume, attempt), claim.nodeId(), () -> {
                    // It may have waited long for its place.
                    if (term.over()
                            || !CallResults.releasing(look.again(operations).volume(), claim)) {
                        throw new OvertakenException(look.key(), claim.nodeId());
                    }
                    return operations.ports().gateway().detach(claim.nodeId(), NodeDetach.of(volume, claim));
                })
                .handle((done, failure) -> ends.detached(look.key(), claim, failure))
                .thenCompose(end -> ends.write(look.key(), end));
    }

    /** ControllerPublishVolume. Fails with what the plugin said if it refuses for good. */
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

    /** ControllerUnpublishVolume. */
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
        // For one node there is never more than one: the lane counts it as under way.
        Volume volume = planned.volume();
        int most = volume == null ? 1 : operations.ports().options().callsPerVolume(volume.pluginId());
        return operations.turns().beside(planned.key(), most, () -> controllerCall(planned, intent, rpc, call));
    }

    /** Inside the turn: the intent may have been overtaken while it was waited for. */
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

    /** Right before a request leaves: it may have waited long for its place. */
    private Volume checked(VolumeReading look, Attachment intent) {
        if (!stands(look.again(operations), intent)) {
            throw new OvertakenException(look.key(), intent.nodeId());
        }
        return volume(look);
    }
}
