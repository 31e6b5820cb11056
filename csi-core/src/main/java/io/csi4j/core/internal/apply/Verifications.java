package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which volumes have to be verified, because the state was restored. The rows are not written at the restore: a row
 * is older than the restore by its create index, until it has a verification of that restore.
 */
public final class Verifications {
    private Verifications() {}

    /** Returns the last restore of the state; empty if it was never restored. */
    public static Optional<StateRestore> lastRestore(StateReader state) {
        Iterator<StateRestore> rows = state.rows(RowType.RESTORES).iterator();
        return rows.hasNext() ? Optional.of(rows.next()) : Optional.empty();
    }

    /** Returns whether a volume is older than the last restore: a claim may have used it since the backup. */
    static boolean isOlder(StateReader state, Volume volume) {
        return lastRestore(state)
                .filter(restore -> volume.createIndex() < restore.index())
                .isPresent();
    }

    /** Records a restore. It replaces the former one, because what was verified before the backup proves nothing now. */
    static void restored(Step step, NodeCommand.RequireLedgers command) {
        Optional<StateRestore> last = lastRestore(step.reader());
        if (last.filter(known -> known.at().equals(step.at()) && known.reason().equals(command.reason()))
                .isPresent()) {
            return;
        }
        last.ifPresent(known -> step.writer().remove(RowType.RESTORES, known.index()));
        step.writer().put(RowType.RESTORES, new StateRestore(step.index(), command.reason(), step.at()));
    }

    /**
     * Returns the restore since which a volume is not verified; empty if the volume is newer or verified, or if its plugin
     * has no controller that could be asked. A volume that is being created and has a claim was reported by a node, so it
     * exists.
     */
    public static Optional<StateRestore> missing(StateReader state, Volume volume) {
        return lastRestore(state)
                .filter(restore -> volume.createIndex() != 0 && volume.createIndex() < restore.index())
                .filter(restore -> !volume.isInline()
                        && !(volume.phase() == VolumePhase.CREATING
                                && !volume.claims().isEmpty()))
                .filter(restore -> stage(volume, restore) != Verification.Stage.CONFIRMED)
                .filter(restore -> state.facts(volume.pluginId())
                        .map(facts -> !facts.capabilities().lacks(PluginService.CONTROLLER_SERVICE))
                        .orElse(true));
    }

    private static Verification.@Nullable Stage stage(Volume volume, StateRestore restore) {
        return volume.verification()
                .filter(known -> known.restoredIndex() == restore.index())
                .map(Verification::stage)
                .orElse(null);
    }

    /**
     * Returns whether a request for a claim would write the verification of a volume: the intent to ask the provider, or
     * that the creation is requested again.
     */
    public static boolean mayBegin(StateReader state, Volume volume, ClaimRequest request) {
        return mayAsk(state, volume)
                || (volume.phase() == VolumePhase.CREATING
                        && request.template().isPresent()
                        && missing(state, volume).isPresent());
    }

    /** Returns whether each request for a claim would write the intent to ask the provider about a volume. */
    public static boolean mayAsk(StateReader state, Volume volume) {
        return volume.phase() == VolumePhase.AVAILABLE
                && missing(state, volume)
                        .filter(restore -> stage(volume, restore) == null)
                        .isPresent();
    }

    /**
     * Returns a volume as a claim is decided about if the claim would write its verification: it can be used afterwards. The
     * creation of such a volume is no reason to wait.
     */
    public static Volume asVerified(StateReader state, Volume volume, ClaimRequest request) {
        return volume.phase() == VolumePhase.CREATING && mayBegin(state, volume, request)
                ? volume.toBuilder().phase(VolumePhase.AVAILABLE).build()
                : volume;
    }

    /**
     * Makes the volumes of a claim be verified, if nothing else keeps the claim from them. The command then takes no claim; it
     * is proposed again when the volumes are verified. Empty if it writes nothing.
     */
    static Optional<Outcome> begin(Step step, AllocationId claimant, List<ClaimRequest> requests) {
        StateReader state = step.reader();
        Optional<Allocation> allocation = state.allocation(claimant).filter(known -> !known.ended());
        Optional<StateRestore> restore = lastRestore(state);
        if (allocation.isEmpty() || restore.isEmpty()) {
            return Optional.empty();
        }
        NodeId nodeId = allocation.get().nodeId();
        List<Volume> begun = new ArrayList<>();
        Map<PluginId, Long> coming = new HashMap<>();
        for (ClaimRequest request : requests) {
            Optional<Volume> known = state.volume(request.volume());
            boolean begins = known.filter(row -> mayBegin(state, row, request)).isPresent();
            Optional<Volume> used = known.map(row -> asVerified(state, row, request))
                    .filter(row -> isAdmitted(state, allocation.get(), coming, request, row, begins));
            // A volume that was left behind and cannot be used here is made once more.
            Optional<Volume> volume = used.isPresent() ? used : made(state, allocation.get(), coming, request);
            if (volume.isEmpty()) {
                return Optional.empty();
            }
            if (used.isPresent() && begins) {
                begun.add(known.get());
            }
            if (used.isEmpty() || !volume.get().isOn(nodeId)) {
                coming.merge(volume.get().pluginId(), 1L, Long::sum);
            }
        }
        if (begun.isEmpty()) {
            return Optional.empty();
        }
        for (Volume volume : begun) {
            step.effect(new Effect.VolumeStored(
                    step.store(volume.toBuilder().verification(begun(volume, restore.get(), step.at()))), false));
        }
        return Optional.of(step.accepted());
    }

    private static boolean isAdmitted(
            StateReader state,
            Allocation allocation,
            Map<PluginId, Long> coming,
            ClaimRequest request,
            Volume volume,
            boolean verified) {
        PlacementFacts facts =
                Placement.facts(state, volume, allocation.nodeId()).with(coming.getOrDefault(volume.pluginId(), 0L));
        return Admission.decide(
                        volume, request, allocation.id(), allocation.namespace(), verified ? facts.verified() : facts)
                .admitted();
    }

    /** Returns the volume that a claim would make for a request; empty if it has to wait, or is refused. */
    private static Optional<Volume> made(
            StateReader state, Allocation allocation, Map<PluginId, Long> coming, ClaimRequest request) {
        return TemplateVolumes.answer(
                        state,
                        allocation,
                        volume -> Placement.facts(state, volume, allocation.nodeId())
                                .with(coming.getOrDefault(volume.pluginId(), 0L)),
                        List.of(),
                        request)
                .flatMap(TemplateVolumes.Answer::volume);
    }

    private static Verification begun(Volume volume, StateRestore restore, Instant at) {
        return volume.phase() == VolumePhase.CREATING
                ? Verification.confirmed(restore.index(), at)
                : Verification.asked(restore.index());
    }

    /**
     * Returns a volume as it is after a request to ask the storage provider about it, now or once more. The same volume if it
     * need not be verified, or is being verified.
     */
    static Volume askedAgain(StateReader state, Volume volume) {
        return missing(state, volume)
                .filter(restore -> volume.phase() == VolumePhase.AVAILABLE)
                .filter(restore -> stage(volume, restore) != Verification.Stage.ASKED)
                .map(restore -> volume.toBuilder()
                        .verification(Verification.asked(restore.index()))
                        .build())
                .orElse(volume);
    }

    /** Returns why a lost volume cannot be changed or copied; empty for other volumes. */
    public static Optional<Rejection> lost(Volume volume) {
        return volume.verification()
                .filter(known -> volume.isLost())
                .flatMap(Verification::remedy)
                .map(remedy -> new Rejection.InvalidRequest(
                        "volume " + volume.key(),
                        List.of(new Problem(
                                "key",
                                "names a volume that is lost: since the restore of the state, plugin "
                                        + volume.pluginId()
                                        + " has answered " + Verification.NOT_FOUND_ANSWERS
                                        + " times that the storage provider does not have it",
                                remedy))));
    }

    /** Returns a volume as it is after a claim has begun its verification. */
    public static Volume afterBegin(StateReader state, Volume volume) {
        StateRestore restore = lastRestore(state).orElseThrow();
        return volume.toBuilder()
                .verification(begun(volume, restore, restore.at()))
                .build();
    }

    /**
     * Records that the creation of a volume is requested again. A volume of the backup that is being created may have been
     * made, used and deleted since, so its creation does not continue before. Changes nothing for other volumes.
     */
    static Volume requestedAgain(Step step, Volume volume) {
        return missing(step.reader(), volume)
                .filter(restore -> volume.phase() == VolumePhase.CREATING)
                .map(restore ->
                        step.store(volume.toBuilder().verification(Verification.confirmed(restore.index(), step.at()))))
                .orElse(volume);
    }
}
