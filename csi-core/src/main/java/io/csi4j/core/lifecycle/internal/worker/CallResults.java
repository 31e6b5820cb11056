package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.worker.InFlightCalls.Side;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Derives the commands that record the result of a call, and submits them. */
final class CallResults {
    private final Operations operations;
    private final Term term;
    private final InFlightCalls inFlightCalls;
    private final WorkerEvents events;
    private final FollowUpCommands followUps;

    CallResults(
            Operations operations,
            Term term,
            InFlightCalls inFlightCalls,
            WorkerEvents events,
            FollowUpCommands followUps) {
        this.operations = operations;
        this.term = term;
        this.inFlightCalls = inFlightCalls;
        this.events = events;
        this.followUps = followUps;
    }

    /**
     * Returns whether the claim still has to be detached from its node. Returns false if the volume no longer has this
     * claim, even if it has a newer claim of the same allocation.
     */
    static boolean releasing(@Nullable Volume volume, Claim claim) {
        return volume != null
                && volume.claims()
                        .same(claim)
                        .filter(now -> now.state() == ClaimState.UNPUBLISHING)
                        .isPresent();
    }

    /**
     * Returns the result of a detach.
     *
     * @param answer the node's answer; null if the call failed
     * @param failure the failure; null if there is none
     */
    ResultCommands detached(VolumeKey key, Claim claim, @Nullable NodeDetached answer, @Nullable Throwable failure) {
        VolumeSnapshot snapshot = VolumeSnapshot.at(operations.state(), key);
        if (!releasing(snapshot.volume(), claim)) {
            return ResultCommands.nothing();
        }
        if (failure != null) {
            return ResultCommands.with(
                    checkpoint(key, claim, ClaimState.UNPUBLISHING, Optional.of(attempt(claim.retry(), failure))));
        }
        if (isOfFormerMachine(snapshot, claim)) {
            // The call may have reached the machine that replaced the claim's machine; its answer proves nothing.
            return ResultCommands.nothing();
        }
        List<Command> facts = new ArrayList<>(2);
        List<VolumeUse> others = answer == null
                ? List.of()
                : unclaimed(snapshot.volume(), answer.otherUses().orElse(List.of()));
        if (!others.isEmpty()) {
            // The claims of other users come first: the volume must not be detached from the node under them.
            facts.add(new ClaimCommand.AdoptUses(key, claim.nodeId(), others, operations.now()));
        }
        facts.add(checkpoint(key, claim, ClaimState.NODE_DETACHED, Optional.empty()));
        return done(snapshot, Side.NODE, claim.nodeId(), facts);
    }

    /** Returns the uses for which the volume has no claim that counts on the node. */
    private static List<VolumeUse> unclaimed(@Nullable Volume volume, List<VolumeUse> uses) {
        if (volume == null) {
            return List.of();
        }
        return uses.stream()
                .filter(use -> use.isOf(volume))
                .filter(use -> volume.claims()
                        .get(use.allocationId())
                        .filter(claim -> !claim.state().atLeast(ClaimState.NODE_DETACHED)
                                || claim.operatorOverride().isPresent())
                        .isEmpty())
                .toList();
    }

    private static boolean isOfFormerMachine(VolumeSnapshot snapshot, Claim claim) {
        Volume volume = snapshot.volume();
        return volume != null
                && snapshot.state()
                        .node(claim.nodeId())
                        .filter(node -> node.isFormer(volume.pluginId(), claim.externalNodeId()))
                        .isPresent();
    }

    private Command checkpoint(VolumeKey key, Claim claim, ClaimState state, Optional<Attempt> attempt) {
        return new ClaimCommand.CheckpointClaim(
                key, claim.allocationId(), claim.takenIndex(), state, attempt, operations.now());
    }

    ResultCommands published(VolumeKey key, Attachment intent, PublishContext publishContext) {
        return ResultCommands.with(new AttachmentCommand.RecordPublished(
                key, intent.nodeId(), intent.createIndex(), publishContext, operations.now()));
    }

    ResultCommands unpublished(VolumeKey key, Attachment intent) {
        NodeId nodeId = intent.nodeId();
        VolumeSnapshot snapshot = VolumeSnapshot.at(operations.state(), key);
        if (snapshot.volume() != null) {
            events.detached(new PluginOnNode(snapshot.volume().pluginId(), nodeId));
        }
        return done(
                snapshot,
                Side.CONTROLLER,
                nodeId,
                List.of(new AttachmentCommand.RemoveAttachment(key, nodeId, intent.createIndex(), operations.now())));
    }

    /**
     * Returns the result of a successful call. The result includes follow-up commands, planned as if the call had
     * already ended.
     */
    private ResultCommands done(VolumeSnapshot snapshot, Side side, NodeId nodeId, List<Command> facts) {
        if (snapshot.volume() == null) {
            return new ResultCommands(facts, facts, null);
        }
        List<Command> all = followUps.of(
                snapshot.state(),
                snapshot.volume(),
                InFlightCalls.without(inFlightCalls.of(snapshot.key()), side, nodeId),
                facts);
        return new ResultCommands(facts, all, null);
    }

    ResultCommands publishFailed(VolumeKey key, Attachment intent, Throwable cause) {
        ResultCommands error = failed(key, intent, cause);
        Optional<Volume> volume = operations.state().volume(key);
        volume.ifPresent(
                refused -> events.publishFailed(new PluginOnNode(refused.pluginId(), intent.nodeId()), key, cause));
        if (error.facts().isEmpty() || volume.isEmpty() || !RetryLoop.isPermanent(cause)) {
            return error;
        }
        // This batch releases all claims on the node. It cannot release a granted claim, because the state rejects the
        // batch if the attachment is PUBLISHED. Afterwards the engine unpublishes the volume, because the failed call
        // may have attached it.
        List<Command> commands = new ArrayList<>(error.facts());
        for (Claim claim : volume.get().claims().on(intent.nodeId())) {
            if (claim.state() == ClaimState.TAKEN) {
                events.claimRefused(key, claim, cause);
                commands.add(checkpoint(key, claim, ClaimState.UNPUBLISHING, Optional.empty()));
            }
        }
        return new ResultCommands(commands, commands, cause);
    }

    ResultCommands failed(VolumeKey key, Attachment intent, Throwable cause) {
        return cause instanceof OvertakenException
                ? ResultCommands.nothing()
                : ResultCommands.with(new AttachmentCommand.RecordAttachmentError(
                        key, intent.nodeId(), intent.createIndex(), attempt(intent.retry(), cause), operations.now()));
    }

    private Attempt attempt(Retry retry, Throwable failure) {
        return operations.retryLoop().failedAttempt(Futures.unwrap(failure), retry, 0);
    }

    /**
     * Stores the result of a call. The future fails if the result could not be stored. It also fails, after the result
     * was stored, if the plugin refused the call permanently.
     */
    CompletableFuture<Void> write(ResultCommands end) {
        if (end.facts().isEmpty() || term.ended()) {
            return toFuture(end);
        }
        return submit(end).thenCompose(accepted -> toFuture(end));
    }

    private static CompletableFuture<Void> toFuture(ResultCommands end) {
        return end.refusal() == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(end.refusal());
    }

    private CompletableFuture<Outcome.Accepted> submit(ResultCommands end) {
        if (end.all().size() == end.facts().size()) {
            return operations.submit(WorkerWrites.asOneCommand(operations, end.facts()));
        }
        // The state rejects the batch if the state has changed since the follow-ups were planned. The result of the
        // call is valid all the same. So the result is then stored without the follow-ups, and the worker plans the
        // follow-ups again.
        return operations
                .submit(WorkerWrites.asOneCommand(operations, end.all()))
                .exceptionallyCompose(failure -> Futures.unwrap(failure) instanceof RejectedException
                        ? operations.submit(WorkerWrites.asOneCommand(operations, end.facts()))
                        : CompletableFuture.failedFuture(failure));
    }
}
