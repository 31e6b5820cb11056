package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.OnlyRow;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Deletes a volume whose external id is known (R59). */
final class DeleteStep extends PhaseStep<Void> {
    DeleteStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.DELETING);
    }

    @Override
    public Rpc rpc() {
        return Rpc.DELETE_VOLUME;
    }

    @Override
    public Function<ControllerService, CompletableFuture<Void>> request(Volume volume, Secrets secrets) {
        OnlyRow.check(operations().state(), volume);
        var request =
                DeleteVolumeRequest.builder(volume.remoteId()).secrets(secrets).build();
        return service -> service.deleteVolume(request);
    }

    @Override
    public CallEnd done(StateReader state, Volume begun, @Nullable Void answer) {
        return CallEnd.done(new VolumeCommand.DeregisterVolume(
                begun.key(), false, begun.modifyIndex(), operations().now()));
    }

    /**
     * Returns what the failure means. If the plugin refused the deletion, the volume becomes available again (R60),
     * unless another call may have deleted it or the volume does not match its specification. After any other failure
     * the intent stays, and the deletion is retried. A refusal by the second instance after an unknown outcome at the
     * first is such a failure.
     */
    @Override
    public CallEnd failed(StateReader state, Volume begun, Throwable failure) {
        CallOutcome outcome = Failures.outcome(failure);
        boolean inUse =
                Failures.code(failure) == StatusCode.FAILED_PRECONDITION && outcome != CallOutcome.OUTCOME_UNKNOWN;
        boolean refused = inUse || outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        boolean sourceRequired = operations().ports().options().contentSourceRequired();
        if (!refused || VolumeAnswer.isMismatch(begun, sourceRequired) || !isOnlyUnresolvedCall(begun)) {
            return repeated(begun, failure, Failures.changedNothing(failure));
        }
        return CallEnd.refused(
                List.of(new VolumeCommand.SetVolumePhase(
                        begun.key(),
                        VolumePhase.AVAILABLE,
                        begun.modifyIndex(),
                        operations().now())),
                new RefusedException(failure));
    }
}
