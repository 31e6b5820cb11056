package io.csi4j.simulation.defect;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.world.SimNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Plants defects in the engine's commands and in the answers of the log. */
final class DefectiveLog {
    private static final Duration RECENT = Duration.ofMillis(3);

    private final PlantedDefect defect;
    private final Clock clock;
    private final ObservableState actualState;
    private final TemplateDefects templates;
    /** The claimants that the defect made wait once for a healthy node. */
    private final Set<AllocationId> delayedOnce = new HashSet<>();
    /** The checkpoints of completed node steps. */
    private final Map<SimNode.Mount, ClaimCommand.CheckpointClaim> nodeDetached = new LinkedHashMap<>();

    private @Nullable Instant lastRejection;

    DefectiveLog(PlantedDefect defect, ObservableState actualState, Clock clock) {
        this.defect = defect;
        this.clock = clock;
        this.actualState = actualState;
        this.templates = new TemplateDefects(defect, actualState);
    }

    private boolean is(PlantedDefect other) {
        return defect == other;
    }

    /** Whether the log rejected a command, or did not answer, a moment ago. */
    boolean rejectedRecently() {
        return lastRejection != null
                && Duration.between(lastRejection, clock.instant()).compareTo(RECENT) <= 0;
    }

    CompletableFuture<Outcome> submit(CommandLog log, Command command) {
        CompletableFuture<Outcome> answer = submitWithDefect(log, command);
        var unused = answer.whenComplete((outcome, failure) -> {
            if (failure != null || !outcome.accepted()) {
                lastRejection = clock.instant();
            }
        });
        return answer;
    }

    private CompletableFuture<Outcome> submitWithDefect(CommandLog log, Command command) {
        if (is(PlantedDefect.CANCELLED_CLAIM_IS_NOT_RELEASED) && isRelease(command)) {
            return new CompletableFuture<>();
        }
        if (is(PlantedDefect.ORPHAN_IS_NOT_RECORDED) && command instanceof AttachmentCommand.RecordOrphan) {
            return CompletableFuture.completedFuture(new Outcome.Accepted(true, List.of()));
        }
        if (is(PlantedDefect.RESTORE_IS_NOT_NOTICED) && command instanceof NodeCommand.RequireLedgers) {
            return CompletableFuture.completedFuture(new Outcome.Accepted(true, List.of()));
        }
        if (defect.ofTemplates()) {
            return templates.submit(log, command);
        }
        if (command instanceof ClaimCommand.TakeClaims take) {
            return takeClaims(log, take);
        }
        if (is(PlantedDefect.RESULT_IS_RECORDED_FOR_NEWER_CLAIM)) {
            repeatForNewerClaim(log, command);
        }
        return acceptAlways(log.submit(alter(command)));
    }

    /** Whether the batch releases all claims of an allocation. */
    private static boolean isRelease(Command command) {
        return command instanceof Batch batch
                && batch.commands().stream()
                        .allMatch(one -> one instanceof ClaimCommand.CheckpointClaim checkpoint
                                && checkpoint.state() == ClaimState.UNPUBLISHING);
    }

    private CompletableFuture<Outcome> takeClaims(CommandLog log, ClaimCommand.TakeClaims take) {
        if (is(PlantedDefect.CLAIMS_ARE_TAKEN_ONE_BY_ONE) && take.requests().size() > 1) {
            return takeOneByOne(log, take);
        }
        if (is(PlantedDefect.CLAIM_IS_TAKEN_TO_READ)) {
            return log.submit(new ClaimCommand.TakeClaims(
                    take.allocationId(),
                    take.requests().stream()
                            .map(request -> new ClaimRequest(
                                    request.volume(), ClaimMode.READ, request.capability(), request.mountOptions()))
                            .toList(),
                    take.at()));
        }
        if (is(PlantedDefect.QUEUE_POSITION_IS_LOST) && delayedOnce.add(take.allocationId())) {
            var node = new AdmissionDecision.Wait(WaitReason.NODE_NOT_READY, List.of(), "planted");
            return CompletableFuture.completedFuture(new Outcome.Rejected(
                    new Rejection.NotAdmitted(take.requests().get(0).volume(), take.allocationId(), node)));
        }
        return acceptAlways(log.submit(take));
    }

    private CompletableFuture<Outcome> acceptAlways(CompletableFuture<Outcome> written) {
        return is(PlantedDefect.REJECTED_WRITE_COUNTS_AS_ACCEPTED)
                ? written.thenApply(outcome -> outcome.accepted() ? outcome : new Outcome.Accepted(true, List.of()))
                : written;
    }

    /** Takes the first volume before the others. */
    private static CompletableFuture<Outcome> takeOneByOne(CommandLog log, ClaimCommand.TakeClaims take) {
        return log.submit(new ClaimCommand.TakeClaims(
                        take.allocationId(), take.requests().subList(0, 1), take.at()))
                .thenCompose(
                        outcome -> outcome.accepted() ? log.submit(take) : CompletableFuture.completedFuture(outcome));
    }

    private Command alter(Command command) {
        if (is(PlantedDefect.UNPUBLISH_WITHOUT_INTENT) && command instanceof Batch batch) {
            return withoutIntent(batch);
        }
        if (is(PlantedDefect.RESULT_IS_RECORDED_FOR_NEWER_CHANGE)) {
            return forCurrentChange(command);
        }
        if (is(PlantedDefect.UNRESOLVED_CALL_IS_FORGOTTEN)
                && command instanceof CallCommand.RecordCallError error
                && error.target() instanceof CallTarget.OfVolume) {
            return withoutUnresolvedCall(error);
        }
        if (command instanceof CallCommand.RecordCallError error
                && error.target() instanceof CallTarget.OfVerification asked
                && asked.notFound() > 0) {
            return missing(error, asked);
        }
        if (is(PlantedDefect.NODE_EXPANSION_IS_SKIPPED) && command instanceof ChangeCommand.RecordExpanded done) {
            return new ChangeCommand.RecordExpanded(
                    done.key(), done.volumeIndex(), done.range(), done.capacityBytes(), false, done.at());
        }
        if (is(PlantedDefect.ONE_NODE_EXPANSION_COUNTS_FOR_ALL)
                && command instanceof ChangeCommand.RecordNodeExpansion done) {
            return forAllClaims(done);
        }
        return is(PlantedDefect.UNKNOWN_PUBLISH_COUNTS_AS_NOT_DONE)
                        && command instanceof CallCommand.RecordCallError error
                        && error.target() instanceof CallTarget.OfAttachment attachment
                ? new Batch(
                        List.of(
                                new AttachmentCommand.OverrideAttachment(
                                        error.key(), attachment.nodeId(), "mutation", "planted", error.at()),
                                new AttachmentCommand.RemoveAttachment(error.key(), attachment.nodeId(), error.at())),
                        error.at())
                : command;
    }

    /** Records the answer that the provider does not have a volume as if it said something else. */
    private Command missing(CallCommand.RecordCallError error, CallTarget.OfVerification asked) {
        if (is(PlantedDefect.MISSING_VOLUME_COUNTS_AS_VERIFIED)) {
            return new VolumeCommand.RecordVerified(
                    error.key(), asked.createIndex(), asked.restoredIndex(), error.at());
        }
        CallTarget second =
                new CallTarget.OfVerification(asked.createIndex(), asked.restoredIndex(), asked.notFound() + 1);
        return is(PlantedDefect.ONE_ANSWER_LOSES_VOLUME)
                ? new Batch(
                        List.of(
                                error,
                                new CallCommand.RecordCallError(error.key(), second, error.attempt(), error.at())),
                        error.at())
                : error;
    }

    private Command withoutUnresolvedCall(CallCommand.RecordCallError error) {
        long call = actualState
                .snapshot()
                .volume(error.key())
                .flatMap(volume -> volume.retry().unresolved())
                .map(UnresolvedCall::index)
                .orElse(0L);
        return new CallCommand.RecordCallError(
                error.key(),
                error.target(),
                new Attempt(error.attempt().error(), error.attempt().nextRetry(), call),
                error.at());
    }

    /** Records one node's expansion for the claims on all nodes. */
    private Command forAllClaims(ChangeCommand.RecordNodeExpansion done) {
        List<Command> all = new ArrayList<>(List.of(done));
        actualState
                .snapshot()
                .volume(done.key())
                .ifPresent(volume -> volume.claims()
                        .forEach(claim -> all.add(new ChangeCommand.RecordNodeExpansion(
                                done.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                done.range(),
                                done.capacityBytes(),
                                done.at()))));
        return new Batch(all, done.at());
    }

    /** Records a node step a second time, for the next claim of the same allocation. */
    private void repeatForNewerClaim(CommandLog log, Command command) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> repeatForNewerClaim(log, one));
        } else if (command instanceof ClaimCommand.CheckpointClaim one && one.state() == ClaimState.NODE_DETACHED) {
            nodeDetached.put(new SimNode.Mount(one.key(), one.allocationId()), one);
        }
        for (ClaimCommand.CheckpointClaim old : List.copyOf(nodeDetached.values())) {
            boolean newer = actualState
                    .snapshot()
                    .volume(old.key())
                    .flatMap(volume -> volume.claims().get(old.allocationId()))
                    .filter(claim ->
                            claim.createIndex() != old.ifTakenIndex() && claim.state() == ClaimState.UNPUBLISHING)
                    .isPresent();
            if (newer) {
                nodeDetached.remove(new SimNode.Mount(old.key(), old.allocationId()));
                var unused = log.submit(
                        new ClaimCommand.CheckpointClaim(old.key(), old.allocationId(), old.state(), old.at()));
            }
        }
    }

    /** Records the result for the current requested change, even if the call belonged to an older one. */
    private Command forCurrentChange(Command command) {
        if (command instanceof ChangeCommand.RecordExpanded done) {
            return actualState
                    .snapshot()
                    .volume(done.key())
                    .flatMap(Volume::expansion)
                    .<Command>map(change -> new ChangeCommand.RecordExpanded(
                            done.key(),
                            done.volumeIndex(),
                            change.range(),
                            done.capacityBytes(),
                            done.nodesToo(),
                            done.at()))
                    .orElse(command);
        }
        if (command instanceof ChangeCommand.RecordModified done) {
            return actualState
                    .snapshot()
                    .volume(done.key())
                    .flatMap(Volume::modification)
                    .<Command>map(change -> new ChangeCommand.RecordModified(
                            done.key(), done.volumeIndex(), change.index(), change.changes(), done.at()))
                    .orElse(command);
        }
        return command;
    }

    /** Removes the intent to unpublish from a batch. */
    private static Command withoutIntent(Batch batch) {
        List<Command> left = batch.commands().stream()
                .filter(command -> !(command instanceof AttachmentCommand.RecordUnpublishing))
                .toList();
        return left.isEmpty() ? batch : new Batch(left, batch.at());
    }
}
