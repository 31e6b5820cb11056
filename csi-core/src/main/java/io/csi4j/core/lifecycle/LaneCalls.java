package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls a lane makes. Each future completes once what came of the call is written, be it a failure. It
 * fails if that could not be written, or if the plugin refused for good.
 */
final class LaneCalls {
    private final Operations operations;
    private final Term term;
    private final VolumeWork work;

    LaneCalls(Operations operations, Term term, VolumeWork work) {
        this.operations = operations;
        this.term = term;
        this.work = work;
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
    CompletableFuture<?> detach(Volume volume, Claim claim) {
        return operations.turns().in(NodeTurn.of(volume.key(), claim), () -> detachInTurn(volume, claim));
    }

    private CompletableFuture<Void> detachInTurn(Volume volume, Claim claim) {
        if (term.over() || !releasing(volume.key(), claim)) {
            // The plan was made before this call counted as under way; another one has done it since.
            return CompletableFuture.completedFuture(null);
        }
        int attempt = claim.retry().attempts() + 1;
        CallSubject subject = CallSubject.of(Rpc.NODE_UNPUBLISH_VOLUME, volume, attempt);
        return operations
                .calls()
                .node(subject, claim.nodeId(), () -> {
                    // It may have waited long for its place.
                    if (term.over() || !releasing(volume.key(), claim)) {
                        throw new OvertakenException(volume.key(), claim.nodeId());
                    }
                    return operations.ports().gateway().detach(claim.nodeId(), NodeDetach.of(volume, claim));
                })
                .handle((done, failure) -> detached(volume.key(), claim, failure))
                .thenCompose(this::write);
    }

    private Optional<Command> detached(VolumeKey key, Claim claim, @Nullable Throwable failure) {
        if (!releasing(key, claim)) {
            return Optional.empty();
        }
        ClaimState state = failure == null ? ClaimState.NODE_DETACHED : ClaimState.UNPUBLISHING;
        Optional<Attempt> attempt = failure == null ? Optional.empty() : Optional.of(attempt(claim.retry(), failure));
        return Optional.of(
                new ClaimCommand.CheckpointClaim(key, claim.allocationId(), state, attempt, operations.now()));
    }

    /** Whether it is still that claim, and not one that the allocation took since, and still to be detached. */
    private boolean releasing(VolumeKey key, Claim claim) {
        return operations
                .state()
                .volume(key)
                .flatMap(volume -> volume.claims().get(claim.allocationId()))
                .filter(now -> now.createIndex() == claim.createIndex() && now.state() == ClaimState.UNPUBLISHING)
                .isPresent();
    }

    /** ControllerPublishVolume. Fails with what the plugin said if it refuses for good. */
    CompletableFuture<?> publish(VolumeKey key, Attachment intent) {
        Rpc rpc = Rpc.CONTROLLER_PUBLISH_VOLUME;
        return operations
                .turns()
                .beside(
                        key,
                        most(key),
                        () -> controllerCall(
                                key,
                                intent,
                                rpc,
                                (volume, secrets) -> operations
                                        .calls()
                                        .controller(subject(rpc, volume, intent), service -> {
                                            check(key, intent);
                                            return service.controllerPublishVolume(
                                                    RequestFactory.publish(volume, intent, secrets));
                                        })
                                        .handle((answer, failure) -> failure == null
                                                ? Ended.with(new AttachmentCommand.RecordPublished(
                                                        key,
                                                        intent.nodeId(),
                                                        answer.publishContext(),
                                                        operations.now()))
                                                : publishFailed(key, intent, Failures.of(failure)))));
    }

    /** ControllerUnpublishVolume. */
    CompletableFuture<?> unpublish(VolumeKey key, Attachment intent) {
        Rpc rpc = Rpc.CONTROLLER_UNPUBLISH_VOLUME;
        return operations
                .turns()
                .beside(
                        key,
                        most(key),
                        () -> controllerCall(
                                key,
                                intent,
                                rpc,
                                (volume, secrets) -> operations
                                        .calls()
                                        .controller(subject(rpc, volume, intent), service -> {
                                            check(key, intent);
                                            return service.controllerUnpublishVolume(
                                                    RequestFactory.unpublish(volume, intent, secrets));
                                        })
                                        .handle((answer, failure) -> failure == null
                                                ? Ended.with(new AttachmentCommand.RemoveAttachment(
                                                        key, intent.nodeId(), operations.now()))
                                                : failed(key, intent, Failures.of(failure)))));
    }

    /** For one node there is never more than one: the lane counts it as under way. */
    private int most(VolumeKey key) {
        return operations
                .state()
                .volume(key)
                .map(volume -> operations.ports().options().callsPerVolume(volume.pluginId()))
                .orElse(1);
    }

    /**
     * What came of a call.
     *
     * @param command what to write; empty: nothing
     * @param refusal what whoever waits is told; empty: it will be tried again, or is done
     */
    private record Ended(Optional<Command> command, Optional<Throwable> refusal) {
        static Ended with(Command command) {
            return new Ended(Optional.of(command), Optional.empty());
        }
    }

    private static CallSubject subject(Rpc rpc, Volume volume, Attachment intent) {
        return CallSubject.of(rpc, volume, intent.retry().attempts() + 1);
    }

    /** Inside the turn: the intent may have been overtaken while it was waited for. */
    private CompletableFuture<Void> controllerCall(
            VolumeKey key, Attachment intent, Rpc rpc, BiFunction<Volume, Secrets, CompletableFuture<Ended>> call) {
        Optional<Volume> volume = operations.state().volume(key);
        if (volume.isEmpty() || !stands(volume.get(), intent)) {
            return CompletableFuture.completedFuture(null);
        }
        return operations
                .secrets(Caller.ENGINE, volume.get(), rpc)
                .thenCompose(secrets -> call.apply(volume.get(), secrets))
                .exceptionally(failure -> failed(key, intent, Failures.of(failure)))
                .thenCompose(this::written);
    }

    private CompletableFuture<Void> written(Ended ended) {
        return write(ended.command())
                .thenCompose(written -> ended.refusal()
                        .map(CompletableFuture::<Void>failedFuture)
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    private boolean stands(Volume volume, Attachment intent) {
        return !term.over()
                && volume.attachments()
                        .on(intent.nodeId())
                        .filter(now -> now.createIndex() == intent.createIndex() && now.state() == intent.state())
                        .isPresent();
    }

    /** Right before a request leaves: it may have waited long for its place. */
    private void check(VolumeKey key, Attachment intent) {
        if (operations
                .state()
                .volume(key)
                .filter(volume -> stands(volume, intent))
                .isEmpty()) {
            throw new OvertakenException(key, intent.nodeId());
        }
    }

    private Ended publishFailed(VolumeKey key, Attachment intent, Throwable why) {
        Ended error = failed(key, intent, why);
        Optional<Volume> volume = operations.state().volume(key);
        if (error.command().isEmpty() || volume.isEmpty() || !Repetition.forGood(why)) {
            return error;
        }
        // Nobody has been granted anything there: the attachment was never PUBLISHED. So all of them fail, and what may
        // have been attached is undone.
        List<Command> commands = new ArrayList<>();
        commands.add(error.command().get());
        for (Claim claim : volume.get().claims().on(intent.nodeId())) {
            if (claim.state() == ClaimState.TAKEN) {
                commands.add(new ClaimCommand.CheckpointClaim(
                        key, claim.allocationId(), ClaimState.UNPUBLISHING, Optional.empty(), operations.now()));
            }
        }
        return new Ended(Optional.of(new Batch(commands, operations.now())), Optional.of(why));
    }

    private Ended failed(VolumeKey key, Attachment intent, Throwable why) {
        if (why instanceof OvertakenException) {
            return new Ended(Optional.empty(), Optional.empty());
        }
        return Ended.with(new AttachmentCommand.RecordAttachmentError(
                key, intent.nodeId(), attempt(intent.retry(), why), operations.now()));
    }

    private Attempt attempt(Retry retry, Throwable failure) {
        Throwable why = Failures.of(failure);
        Instant next = operations.now().plus(operations.repetition().wait(why, retry.attempts() + 1));
        return Attempt.failed(Failures.text(why), next);
    }

    private CompletableFuture<Void> write(Optional<Command> command) {
        if (command.isEmpty() || term.over()) {
            return CompletableFuture.completedFuture(null);
        }
        return operations.submit(command.get()).thenApply(accepted -> null);
    }
}
