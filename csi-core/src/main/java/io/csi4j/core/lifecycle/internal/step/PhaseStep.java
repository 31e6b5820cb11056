package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Optional;

/** A call that creates or deletes a volume. It is recorded before it is sent, so it is never forgotten. */
abstract class PhaseStep<R> extends IntentStep<R> {
    PhaseStep(Operations operations, Volume planned, VolumePhase phase) {
        super(operations, planned, phase);
    }

    @Override
    final boolean stands(StateReader state, Volume now) {
        return true;
    }

    @Override
    public final int attempt(Volume volume) {
        return volume.retry().attempts() + 1;
    }

    @Override
    public final Optional<Command> begins(Volume volume) {
        return Optional.of(new CallCommand.BeginCall(
                volume.key(), target(volume), operations().now()));
    }

    @Override
    public final CallTarget target(Volume volume) {
        return new CallTarget.OfVolume(volume.createIndex(), volume.phase());
    }

    /**
     * Returns whether the present call is the only call for the volume that may have an unknown outcome. If so, a
     * refusal of the present call proves that no call has had an effect.
     */
    static boolean isOnlyUnresolvedCall(Volume begun) {
        return begun.retry()
                .unresolved()
                .filter(call -> call.isOnlyCall(call.index()))
                .isPresent();
    }

    /**
     * Returns the end of a failed call that is repeated.
     *
     * @param begun the volume, whose row has the call as unresolved: the outcome of the call may be unknown
     * @param clear whether it is certain that the call changed nothing
     */
    final CallEnd repeated(Volume begun, Throwable failure, boolean clear) {
        Command error = new CallCommand.RecordCallError(
                begun.key(),
                target(begun),
                operations().retryLoop().failedCall(failure, begun.retry(), clear),
                operations().now());
        return CallEnd.failed(error, failure).otherwise(lost -> ifRemoved(lost, CallEnd.failed(failure)));
    }

    /** Returns the command that removes the row of a volume that the provider does not have. */
    final Command removed(Volume begun) {
        return new VolumeCommand.DeregisterVolume(
                begun.key(), true, begun.modifyIndex(), operations().now());
    }

    /** Returns the command that removes the row of a volume whose creation was refused, and keeps the reason. */
    final Command removed(Volume begun, Throwable refusal) {
        return new VolumeCommand.DeregisterVolume(
                begun.key(),
                true,
                begun.modifyIndex(),
                Optional.of(refusal(refusal)),
                operations().now());
    }

    /** Returns the failure of a creation as the state keeps it for callers that wait at other servers. */
    static RefusedCreation.Reason refusal(Throwable failure) {
        Optional<StatusCode> code =
                failure instanceof CsiCallException call ? Optional.of(call.code()) : Optional.empty();
        return new RefusedCreation.Reason(code, Failures.textToStore(failure));
    }

    /**
     * Returns the command that records the answer to a call whose creation was withdrawn in the meantime; it has no
     * effect if the creation was not withdrawn.
     *
     * @param externalVolumeId the volume that the provider has made; empty if the answer proves that it made none
     */
    final Command lateAnswer(Volume begun, Optional<ExternalVolumeId> externalVolumeId) {
        return new WithdrawnCreationCommand.RecordLateAnswer(
                new WithdrawnCreation.Key(begun.pluginId(), begun.name()),
                begun.createIndex(),
                begun.retry().unresolved().map(UnresolvedCall::index).orElse(0L),
                externalVolumeId,
                operations().now());
    }

    static Optional<CallEnd> ifRemoved(Throwable lost, CallEnd end) {
        return Failures.isVolumeNotFound(lost) ? Optional.of(end) : Optional.empty();
    }

    /** Returns whether a command was rejected because another row has the volume of the provider. */
    static boolean isExternalIdTaken(Throwable lost) {
        return lost instanceof RejectedException rejected && isExternalIdTaken(rejected.reason());
    }

    private static boolean isExternalIdTaken(Rejection reason) {
        return reason instanceof Rejection.ExternalIdTaken
                || (reason instanceof Rejection.InBatch batch && isExternalIdTaken(batch.cause()));
    }
}
