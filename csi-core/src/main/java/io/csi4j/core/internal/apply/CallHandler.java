package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;

/** Applies commands about the begin and the failure of planned calls. */
final class CallHandler {
    private final Step step;

    CallHandler(Step step) {
        this.step = step;
    }

    Outcome apply(CallCommand command) {
        return command instanceof CallCommand.RecordCallError failed
                ? failed.target().accept(new Failure(failed.key(), failed.attempt()))
                : begin(command.key(), command.target());
    }

    private Outcome begin(VolumeKey key, CallTarget target) {
        if (target instanceof CallTarget.OfModification request) {
            return step.withVolume(
                    key,
                    volume -> requested(volume, request)
                            .map(known -> store(volume, volume.toBuilder().modification(known.begun(step.index()))))
                            .orElseGet(() -> Step.rejected(new Rejection.VolumeChanged(
                                    volume.key(), request.requestIndex(), volume.modifyIndex()))));
        }
        CallTarget.OfVolume of = (CallTarget.OfVolume) target;
        Optional<Volume> known = step.reader().volume(key).filter(volume -> volume.createIndex() == of.createIndex());
        if (known.isEmpty()) {
            return Step.rejected(new Rejection.VolumeNotFound(key));
        }
        Volume volume = known.get();
        if (volume.phase() != of.phase() || volume.phase() == VolumePhase.AVAILABLE) {
            return Step.rejected(new Rejection.WrongPhase(key, volume.phase(), of.phase()));
        }
        return store(volume, volume.toBuilder().retry(volume.retry().begun(step.index())));
    }

    /**
     * Returns the requested change. Returns empty if another request has replaced it or the plugin refused it.
     */
    private static Optional<Modification> requested(Volume volume, CallTarget.OfModification request) {
        return volume.modification()
                .filter(known -> known.index() == request.requestIndex()
                        && !known.retry().refused());
    }

    private Outcome store(Volume before, Volume.Builder changed) {
        Volume stored = before.equals(changed.build()) ? before : step.store(changed);
        step.effect(new Effect.VolumeStored(stored, false));
        return step.accepted();
    }

    /** Records a failed call in the part of the row that the call was for. */
    private final class Failure implements CallTarget.Cases<Outcome> {
        private final VolumeKey key;
        private final Attempt attempt;

        Failure(VolumeKey key, Attempt attempt) {
            this.key = key;
            this.attempt = attempt;
        }

        @Override
        public Outcome ofVolume(CallTarget.OfVolume target) {
            step.reader()
                    .volume(key)
                    .filter(volume -> volume.createIndex() == target.createIndex()
                            && volume.phase() == target.phase()
                            && volume.phase() != VolumePhase.AVAILABLE)
                    .ifPresent(volume -> store(
                            volume, volume.toBuilder().retry(volume.retry().plus(attempt))));
            return step.accepted();
        }

        @Override
        public Outcome ofExpansion(CallTarget.OfExpansion target) {
            return step.withVolume(key, volume -> {
                Volume.Builder builder = volume.toBuilder();
                Optional<Expansion> current = volume.expansionTo(target.range(), Expansion.Stage.CONTROLLER)
                        .filter(known -> !known.retry().refused());
                current.ifPresent(known -> builder.expansion(known.failed(attempt)));
                if (attempt.nextRetry().isEmpty()) {
                    builder.unsettledTargets(volume.unsettledTargets().stream()
                            .filter(size -> size != target.range().requiredBytes())
                            .toList());
                }
                return current.isPresent() || !builder.build().equals(volume)
                        ? store(volume, builder)
                        : step.accepted();
            });
        }

        @Override
        public Outcome ofNodeExpansion(CallTarget.OfNodeExpansion target) {
            return step.withVolume(
                    key,
                    volume -> NodeExpansions.due(volume, target.allocationId(), target.claimIndex(), target.range())
                            .map(due -> store(
                                    volume,
                                    volume.toBuilder()
                                            .expansion(due.with(new Expansion.OnNode(
                                                    target.claimIndex(),
                                                    false,
                                                    0,
                                                    due.retry().plus(attempt))))))
                            .orElseGet(step::accepted));
        }

        @Override
        public Outcome ofModification(CallTarget.OfModification target) {
            return step.withVolume(
                    key,
                    volume -> requested(volume, target)
                            .filter(known -> attempt.nextRetry().isPresent() || known.settledBy(attempt.answeredCall()))
                            .map(known -> store(volume, volume.toBuilder().modification(known.failed(attempt))))
                            .orElseGet(step::accepted));
        }

        @Override
        public Outcome ofVerification(CallTarget.OfVerification target) {
            step.reader()
                    .volume(key)
                    .filter(volume -> volume.createIndex() == target.createIndex())
                    .ifPresent(volume -> volume.verification()
                            .filter(known -> known.restoredIndex() == target.restoredIndex()
                                    && known.stage() == Verification.Stage.ASKED)
                            .map(known -> target.notFound() == 0
                                    ? known.failed(attempt)
                                    : known.notFound(target.notFound(), attempt, step.at()))
                            .ifPresent(next -> store(volume, volume.toBuilder().verification(next))));
            return step.accepted();
        }

        @Override
        public Outcome ofAttachment(CallTarget.OfAttachment target) {
            return step.withVolume(
                    key,
                    volume -> volume.attachments()
                            .on(target.nodeId())
                            .filter(known -> target.createIndex() == 0 || known.createIndex() == target.createIndex())
                            .map(known -> failed(volume, known))
                            .orElseGet(step::accepted));
        }

        private Outcome failed(Volume volume, Attachment attachment) {
            if (attachment.state() == AttachmentState.PUBLISHED) {
                // Rejects the error of a failed call, because another call, perhaps from another server, has attached
                // the volume. If the command is part of a transaction, the whole transaction is rejected.
                return AttachmentHandler.wrongState(key, attachment, AttachmentState.PUBLISHING);
            }
            Retry retry = attachment.retry().plus(attempt);
            if (!retry.equals(attachment.retry())) {
                step.store(volume.toBuilder()
                        .attachments(volume.attachments()
                                .with(attachment.toBuilder().retry(retry).build())));
            }
            return step.accepted();
        }

        @Override
        public Outcome ofClaim(CallTarget.OfClaim target) {
            return step.withVolume(key, volume -> {
                volume.claims()
                        .get(target.allocationId())
                        .filter(now -> target.takenIndex() == 0 || now.takenIndex() == target.takenIndex())
                        .filter(now -> now.state() == ClaimState.UNPUBLISHING)
                        .ifPresent(claim -> failed(volume, claim));
                return step.accepted();
            });
        }

        private void failed(Volume volume, Claim claim) {
            Retry retry = claim.retry().plus(attempt);
            if (!retry.equals(claim.retry())) {
                step.store(volume.toBuilder()
                        .claims(volume.claims()
                                .with(claim.toBuilder().retry(retry).build())));
            }
        }
    }
}
