package io.csi4j.simulation;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Defects in what the engine writes, and in what it hears of it. */
final class PlantedWrites {
    private static final Duration JUST_NOW = Duration.ofMillis(3);

    private final Mutation mutation;
    private final Clock clock;
    private final ObservableState truth;
    /** Who was told to wait for its node, which is well. */
    private final Set<AllocationId> putOff = new HashSet<>();
    /** What was written of node steps. */
    private final Map<SimNode.Mount, ClaimCommand.CheckpointClaim> detached = new LinkedHashMap<>();

    private @Nullable Instant lastRefusal;

    PlantedWrites(Mutation mutation, ObservableState truth, Clock clock) {
        this.mutation = mutation;
        this.clock = clock;
        this.truth = truth;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    /** Whether the log refused something just now, or did not answer. */
    boolean refusedJustNow() {
        return lastRefusal != null
                && Duration.between(lastRefusal, clock.instant()).compareTo(JUST_NOW) <= 0;
    }

    CompletableFuture<Outcome> submit(CommandLog log, Command command) {
        CompletableFuture<Outcome> answer = submitPlanted(log, command);
        var unused = answer.whenComplete((outcome, failure) -> {
            if (failure != null || !outcome.accepted()) {
                lastRefusal = clock.instant();
            }
        });
        return answer;
    }

    private CompletableFuture<Outcome> submitPlanted(CommandLog log, Command command) {
        if (is(Mutation.CANCELLED_CLAIM_STAYS) && undoes(command)) {
            return new CompletableFuture<>();
        }
        if (is(Mutation.STRAY_IS_LEFT) && command instanceof AttachmentCommand.RecordOrphan) {
            return CompletableFuture.completedFuture(new Outcome.Accepted(true, List.of()));
        }
        if (command instanceof ClaimCommand.TakeClaims take) {
            return take(log, take);
        }
        if (is(Mutation.RESULT_FOR_NEWER_CLAIM)) {
            repeat(log, command);
        }
        return believed(log.submit(changed(command)));
    }

    /** What a claim took is released as a whole. */
    private static boolean undoes(Command command) {
        return command instanceof Batch batch
                && batch.commands().stream()
                        .allMatch(one -> one instanceof ClaimCommand.CheckpointClaim checkpoint
                                && checkpoint.state() == ClaimState.UNPUBLISHING);
    }

    private CompletableFuture<Outcome> take(CommandLog log, ClaimCommand.TakeClaims take) {
        if (is(Mutation.HALF_IS_TAKEN) && take.requests().size() > 1) {
            return half(log, take);
        }
        if (is(Mutation.TURN_IS_LOST) && putOff.add(take.allocationId())) {
            var node = new AdmissionDecision.Wait(WaitReason.NODE_NOT_READY, List.of(), "planted");
            return CompletableFuture.completedFuture(new Outcome.Rejected(
                    new Rejection.NotAdmitted(take.requests().get(0).volume(), take.allocationId(), node)));
        }
        return believed(log.submit(take));
    }

    private CompletableFuture<Outcome> believed(CompletableFuture<Outcome> written) {
        return is(Mutation.WRITES_ARE_BELIEVED)
                ? written.thenApply(outcome -> outcome.accepted() ? outcome : new Outcome.Accepted(true, List.of()))
                : written;
    }

    /** First the one volume, then the others. */
    private static CompletableFuture<Outcome> half(CommandLog log, ClaimCommand.TakeClaims take) {
        return log.submit(new ClaimCommand.TakeClaims(
                        take.allocationId(), take.requests().subList(0, 1), take.at()))
                .thenCompose(
                        outcome -> outcome.accepted() ? log.submit(take) : CompletableFuture.completedFuture(outcome));
    }

    private Command changed(Command command) {
        if (is(Mutation.UNPUBLISH_WITHOUT_INTENT) && command instanceof Batch batch) {
            return withoutIntent(batch);
        }
        if (is(Mutation.RESULT_FOR_NEWER_WISH)) {
            return newer(command);
        }
        if (is(Mutation.UNRESOLVED_CALL_IS_FORGOTTEN) && command instanceof VolumeCommand.RecordCallError error) {
            return answered(error);
        }
        if (is(Mutation.EXPANSION_FORGETS_NODES) && command instanceof ChangeCommand.RecordExpanded done) {
            return new ChangeCommand.RecordExpanded(
                    done.key(), done.volumeIndex(), done.range(), done.capacityBytes(), false, done.at());
        }
        if (is(Mutation.EXPANSION_FORGETS_OTHER_NODES)
                && command instanceof ChangeCommand.RecordNodeExpansion done
                && done.attempt().isEmpty()) {
            return forAll(done);
        }
        return is(Mutation.UNKNOWN_IS_NOT_DONE) && command instanceof AttachmentCommand.RecordAttachmentError error
                ? new Batch(
                        List.of(
                                new AttachmentCommand.OverrideAttachment(
                                        error.key(), error.nodeId(), "mutation", "planted", error.at()),
                                new AttachmentCommand.RemoveAttachment(error.key(), error.nodeId(), error.at())),
                        error.at())
                : command;
    }

    private Command answered(VolumeCommand.RecordCallError error) {
        long call = truth.snapshot()
                .volume(error.key())
                .flatMap(volume -> volume.retry().unresolved())
                .map(UnresolvedCall::index)
                .orElse(0L);
        return new VolumeCommand.RecordCallError(
                error.key(),
                error.ifCreateIndex(),
                error.phase(),
                new Attempt(error.attempt().error(), error.attempt().nextRetry(), call),
                error.at());
    }

    /** What one node did is written for the claims of all. */
    private Command forAll(ChangeCommand.RecordNodeExpansion done) {
        List<Command> all = new ArrayList<>(List.of(done));
        truth.snapshot()
                .volume(done.key())
                .ifPresent(volume -> volume.claims()
                        .forEach(claim -> all.add(new ChangeCommand.RecordNodeExpansion(
                                done.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                done.range(),
                                done.capacityBytes(),
                                Optional.empty(),
                                done.at()))));
        return new Batch(all, done.at());
    }

    /** What came of a node step is written once more, for the next claim of that allocation. */
    private void repeat(CommandLog log, Command command) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> repeat(log, one));
        } else if (command instanceof ClaimCommand.CheckpointClaim one && one.state() == ClaimState.NODE_DETACHED) {
            detached.put(new SimNode.Mount(one.key(), one.allocationId()), one);
        }
        for (ClaimCommand.CheckpointClaim old : List.copyOf(detached.values())) {
            boolean newer = truth.snapshot()
                    .volume(old.key())
                    .flatMap(volume -> volume.claims().get(old.allocationId()))
                    .filter(claim ->
                            claim.createIndex() != old.ifTakenIndex() && claim.state() == ClaimState.UNPUBLISHING)
                    .isPresent();
            if (newer) {
                detached.remove(new SimNode.Mount(old.key(), old.allocationId()));
                var unused = log.submit(new ClaimCommand.CheckpointClaim(
                        old.key(), old.allocationId(), old.state(), Optional.empty(), old.at()));
            }
        }
    }

    /** What came of a call is written to the wish there is now, whatever the call was for. */
    private Command newer(Command command) {
        if (command instanceof ChangeCommand.RecordExpanded done) {
            return truth.snapshot()
                    .volume(done.key())
                    .flatMap(Volume::expansion)
                    .<Command>map(wish -> new ChangeCommand.RecordExpanded(
                            done.key(),
                            done.volumeIndex(),
                            wish.range(),
                            done.capacityBytes(),
                            done.nodesToo(),
                            done.at()))
                    .orElse(command);
        }
        if (command instanceof ChangeCommand.RecordModified done) {
            return truth.snapshot()
                    .volume(done.key())
                    .flatMap(Volume::modification)
                    .<Command>map(wish -> new ChangeCommand.RecordModified(
                            done.key(), done.volumeIndex(), wish.index(), wish.changes(), done.at()))
                    .orElse(command);
        }
        return command;
    }

    /** The intent may be written together with what it follows from. */
    private static Command withoutIntent(Batch batch) {
        List<Command> left = batch.commands().stream()
                .filter(command -> !(command instanceof AttachmentCommand.RecordUnpublishing))
                .toList();
        return left.isEmpty() ? batch : new Batch(left, batch.at());
    }
}
