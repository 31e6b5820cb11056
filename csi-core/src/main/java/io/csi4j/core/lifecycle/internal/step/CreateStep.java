package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.WrongPlaceException;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
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
                .or(() -> wrongPlace(begun, answer).map(wrong -> discarded(begun, List.of(facts), wrong)))
                .orElseGet(() -> CallEnd.done(facts))
                .otherwise(lost -> Optional.of(notStored(begun, answer, lost)));
    }

    /**
     * Returns the end of a call that created a volume other than the one that was asked for. Its external id is stored
     * together with the intent to delete it, so that no volume is left behind.
     */
    private CallEnd mismatch(Volume begun, Command facts, String problem) {
        if (begun.firstClaim().isPresent()) {
            return discarded(
                    begun,
                    List.of(facts),
                    new WrongAnswerException(Rpc.CREATE_VOLUME, "volume " + begun.key(), problem + "; it is deleted"));
        }
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

    /** Returns the failure of a claim whose node cannot use the volume that was made for it; empty if it can. */
    private static Optional<WrongPlaceException> wrongPlace(Volume begun, ExternalVolume answer) {
        List<Topology> made = answer.accessibleTopology();
        Optional<Topology> asked = begun.spec()
                .accessibilityRequirements()
                .flatMap(topology -> topology.preferred().stream().findFirst());
        return begun.firstClaim()
                .filter(claim -> !claim.keepUnused())
                .filter(claim -> !made.isEmpty())
                .flatMap(claim -> asked.filter(node -> !node.containsAny(made))
                        .map(node -> new WrongPlaceException(begun.key(), claim.nodeId(), node, made)));
    }

    /**
     * Returns the end of a call after which a volume is given up that was made for a claim, and everything that was made
     * with it.
     *
     * @param before the commands that record the answer
     */
    private CallEnd discarded(Volume begun, List<Command> before, Throwable failure) {
        List<Command> all = new ArrayList<>(before);
        all.add(new VolumeCommand.DiscardUnused(
                begun.key(),
                begun.createIndex(),
                Optional.of(refusal(failure)),
                operations().now()));
        return CallEnd.refused(all, failure);
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
        boolean claimed = begun.firstClaim().isPresent();
        // A claim does not wait for room: its allocation may be placed where there is some.
        boolean noRoom = claimed
                && outcome != CallOutcome.OUTCOME_UNKNOWN
                && Failures.code(failure) == StatusCode.RESOURCE_EXHAUSTED;
        boolean never = outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        if (!(never || noRoom) || !(claimed || isOnlyUnresolvedCall(begun))) {
            return repeated(begun, failure, Failures.changedNothing(failure));
        }
        if (!isOnlyUnresolvedCall(begun)) {
            // An earlier call may still make the volume. The claim need not wait for that.
            return discarded(begun, List.of(), failure)
                    .otherwise(lost -> ifRemoved(lost, CallEnd.failed(lateAnswer(begun, Optional.empty()), failure)));
        }
        // The plugin refused every call, so the volume cannot exist, and the intent is removed.
        return CallEnd.refused(List.of(removed(begun, failure)), failure)
                .otherwise(lost -> ifRemoved(lost, CallEnd.failed(lateAnswer(begun, Optional.empty()), failure)));
    }
}
