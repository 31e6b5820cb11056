package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;

/**
 * Creates a volume. The request has the same fields in each retry (R29, R56). A volume that does not match the request
 * is deleted again.
 */
final class CreateStep extends NamedVolumeStep {
    CreateStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.CREATING);
    }

    @Override
    public CallEnd done(StateReader state, Volume begun, CreateVolumeResponse response) {
        ExternalVolume answer = response.volume();
        Command facts = created(begun, response);
        boolean sourceRequired = operations().ports().options().contentSourceRequired();
        return VolumeAnswer.problem(begun.spec(), VolumeAnswer.facts(answer), sourceRequired)
                .map(problem -> mismatch(begun, facts, problem))
                .orElseGet(() -> CallEnd.done(facts))
                .otherwise(lost -> Optional.of(notStored(begun, answer, lost)));
    }

    /**
     * Returns the end of a call that created a volume other than the one that was asked for. Its external id is stored
     * together with the intent to delete it, so that no volume is left behind.
     */
    private CallEnd mismatch(Volume begun, Command facts, String problem) {
        Command deletion = new VolumeCommand.SetVolumePhase(
                begun.key(),
                VolumePhase.DELETING,
                begun.modifyIndex(),
                operations().now());
        return CallEnd.refused(
                List.of(deletion, facts),
                new WrongAnswerException(
                        Rpc.CREATE_VOLUME,
                        "volume " + begun.key(),
                        problem
                                + "; it is being deleted: delete it too to wait for that, with the secrets that it needs"));
    }

    /**
     * Returns what it means that the created volume could not be stored. If the state already has it under another key,
     * it stays there unchanged, and only the row of this key with its intent is removed.
     */
    private CallEnd notStored(Volume begun, ExternalVolume answer, Throwable lost) {
        if (isExternalIdTaken(lost)) {
            return CallEnd.failed(removed(begun, lost), lost);
        }
        if (Failures.isVolumeNotFound(lost)) {
            CsiException late = new VolumeRemovedException(
                    begun.key(),
                    "volume " + begun.key() + " was removed from the state while it was being created; the provider"
                            + " has it as " + answer.volumeId() + ": register that one, or delete it there",
                    lost);
            return CallEnd.failed(lateAnswer(begun, Optional.of(answer.volumeId())), late);
        }
        // The plugin has created the volume, but the result could not be stored. So the state keeps the outcome of the
        // call as unknown, and the creation is retried.
        return repeated(begun, lost, false);
    }

    @Override
    public CallEnd failed(StateReader state, Volume begun, Throwable failure) {
        CallOutcome outcome = Failures.outcome(failure);
        boolean never = outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        if (!never || !isOnlyUnresolvedCall(begun)) {
            return repeated(begun, failure, Failures.changedNothing(failure));
        }
        // The plugin refused every call, so the volume cannot exist, and the intent is removed.
        return CallEnd.refused(List.of(removed(begun, failure)), failure)
                .otherwise(lost -> ifRemoved(lost, CallEnd.failed(lateAnswer(begun, Optional.empty()), failure)));
    }
}
