package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CreatedVolumeException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;

/**
 * Finds the external id of a volume that is to be deleted, and whose creation was interrupted. Only the same
 * CreateVolume request returns the id (R30, R56). The request may create the volume, which can then be deleted.
 */
final class FindIdStep extends NamedVolumeStep {
    /** The number of calls after which the search may end. */
    private static final int CALLS_WITHOUT_ROOM = 3;

    FindIdStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.DELETING);
    }

    @Override
    public CallEnd done(StateReader state, Volume begun, CreateVolumeResponse answer) {
        ExternalVolumeId volumeId = answer.volume().volumeId();
        return CallEnd.done(created(begun, answer)).otherwise(lost -> Optional.of(notStored(begun, volumeId, lost)));
    }

    private CallEnd notStored(Volume begun, ExternalVolumeId volumeId, Throwable lost) {
        if (isExternalIdTaken(lost)) {
            // The state has the storage provider's volume under another key. So that volume is not deleted; only the
            // row
            // of this key is removed.
            return CallEnd.done(removed(begun));
        }
        if (Failures.isVolumeNotFound(lost)) {
            return CallEnd.failed(lateAnswer(begun, Optional.of(volumeId)), lost);
        }
        return lost.getCause() instanceof CommandTooLargeException
                ? CallEnd.done(idOnly(begun, volumeId))
                : repeated(begun, lost, true);
    }

    /**
     * Returns whether the plugin refuses to make the volume, so that this call has made nothing. ALREADY_EXISTS is no such
     * refusal: the name is that of one attempt, so the plugin has the volume, or a part of it, and does not return it.
     */
    private static boolean isFinal(Throwable failure) {
        if (Failures.code(failure) == StatusCode.ALREADY_EXISTS) {
            return false;
        }
        CallOutcome outcome = Failures.outcome(failure);
        return outcome == CallOutcome.CHANGE_REQUEST
                || outcome == CallOutcome.NEVER
                || (outcome != CallOutcome.OUTCOME_UNKNOWN && Failures.code(failure) == StatusCode.RESOURCE_EXHAUSTED);
    }

    private static boolean isSameAsBefore(Volume begun, Throwable failure) {
        return begun.retry().lastError().equals(Optional.of(Failures.textToStore(failure)));
    }

    /** Returns the command that records the id of the volume, which suffices for its deletion. */
    private Command idOnly(Volume begun, ExternalVolumeId volumeId) {
        return new VolumeCommand.RecordProviderFacts(
                begun.key(),
                ProviderFacts.builder().externalVolumeId(volumeId).build(),
                begun.createIndex(),
                operations().now());
    }

    /**
     * Returns what the failure means. The failed call was CreateVolume, which cannot have deleted the volume. A plugin
     * returns the volume of a name also if it has no room for another one (R51). So if it answers RESOURCE_EXHAUSTED
     * several times, it very likely has none; then the creation is withdrawn, and the deletion ends.
     */
    @Override
    public CallEnd failed(StateReader state, Volume begun, Throwable failure) {
        if (failure.getCause() instanceof CreatedVolumeException created) {
            ExternalVolumeId volumeId = created.volumeId();
            return CallEnd.done(idOnly(begun, volumeId))
                    .otherwise(lost -> Optional.of(notStored(begun, volumeId, lost)));
        }
        if (begun.formerKey().isPresent() && isFinal(failure) && isSameAsBefore(begun, failure)) {
            // Two equal refusals, and time between them: no earlier call is still at work.
            return CallEnd.done(removed(begun)).otherwise(lost -> ifRemoved(lost, CallEnd.failed(failure)));
        }
        // A volume that was given up ends with two equal refusals only: no claim waits for it.
        if (begun.formerKey().isPresent()
                || Failures.code(failure) != StatusCode.RESOURCE_EXHAUSTED
                || attempt(begun) < CALLS_WITHOUT_ROOM) {
            return repeated(begun, failure, true);
        }
        return CallEnd.refused(
                        List.of(new VolumeCommand.WithdrawCreation(
                                begun.key(),
                                begun.createIndex(),
                                Caller.ENGINE.principal().getName(),
                                "the volume is to be deleted, its id is not known, and the plugin answered"
                                        + " RESOURCE_EXHAUSTED to the call that would return it",
                                operations().now())),
                        failure)
                .otherwise(lost -> ifRemoved(lost, CallEnd.failed(failure)));
    }
}
