package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies the commands about requested changes of a volume. The result of a call is ignored if a newer request
 * has replaced the request for which the call was made.
 */
final class ChangeHandler implements ChangeCommand.Cases<Outcome> {
    private final Step step;

    ChangeHandler(Step step) {
        this.step = step;
    }

    /**
     * Merges {@code spec} into the volume's specification. Stores the volume that {@code builder} describes, with the
     * merged specification. Rejects a specification that conflicts with the volume, is invalid, or exceeds a quota.
     */
    private Outcome storeMerged(Volume volume, VolumeSpec spec, Volume.Builder builder) {
        if (volume.phase() != VolumePhase.AVAILABLE) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        Optional<Rejection> lost = Verifications.lost(volume);
        if (lost.isPresent()) {
            return Step.rejected(lost.get());
        }
        return DeclarationMerge.of(
                volume,
                spec,
                merged -> QuotaCheck.before(step.reader(), volume.key(), volume.classOrigin())
                        .exceeded(volume, builder.spec(merged).build())
                        .map(Step::rejected)
                        .orElseGet(() -> store(volume, builder)));
    }

    private Outcome store(Volume volume, Volume.Builder builder) {
        Volume now = builder.build().equals(volume) ? volume : step.store(builder);
        step.effect(new Effect.VolumeStored(now, false));
        return step.accepted();
    }

    @Override
    public Outcome beginExpansion(ChangeCommand.BeginExpansion command) {
        return step.withVolume(command.key(), volume -> {
            if (volume.isInline()) {
                return VolumeHandler.unchangeable(volume);
            }
            boolean begun = volume.expansionTo(command.range(), Expansion.Stage.CONTROLLER)
                    .filter(known -> !known.retry().refused())
                    .isPresent();
            Volume.Builder builder = volume.toBuilder();
            if (!begun) {
                builder.expansion(Expansion.to(command.range())).unsettledTargets(left(volume));
            }
            return storeMerged(
                    volume,
                    volume.spec().toBuilder().capacityRange(command.range()).restore(),
                    builder);
        });
    }

    /**
     * Returns the sizes that are not settled when the present expansion is given up. A call of the expansion may still have
     * an effect, unless the controller has finished it or the plugin has refused it.
     */
    private static List<Long> left(Volume volume) {
        List<Long> targets = new ArrayList<>(volume.unsettledTargets());
        if (volume.toBeExpanded()) {
            targets.add(volume.expansion().orElseThrow().range().requiredBytes());
        }
        return targets;
    }

    @Override
    public Outcome recordExpanded(ChangeCommand.RecordExpanded command) {
        return step.withVolume(command.key(), volume -> {
            if (volume.createIndex() != command.volumeIndex()) {
                return step.accepted();
            }
            Optional<Expansion> expansion = volume.expansionTo(command.range(), Expansion.Stage.CONTROLLER);
            long known = volume.facts().capacityBytes();
            // If the reported expansion is not the current one, the report may be old. Then the larger size is kept,
            // because a volume never shrinks.
            long reported = expansion.isPresent() ? command.capacityBytes() : Math.max(known, command.capacityBytes());
            ProviderFacts facts = reported == 0
                    ? volume.facts()
                    : volume.facts().toBuilder().capacityBytes(reported).build();
            Volume.Builder builder = volume.toBuilder().facts(facts);
            // Also begins the expansion on the nodes if the request was withdrawn but the volume grew nevertheless.
            boolean grewAfterWithdrawal = volume.expansion().isEmpty() && reported > known;
            if (expansion.isPresent() || grewAfterWithdrawal) {
                builder.expansion(
                        command.nodesToo() ? Expansion.to(command.range()).grown() : null);
            }
            if (expansion.isPresent()) {
                // The plugin works on one request of a volume at a time, so it has ended earlier ones.
                builder.unsettledTargets(List.of());
            }
            QuotaCheck.before(step.reader(), volume.key(), volume.classOrigin())
                    .overByProvider(step, volume, builder.build());
            return store(volume, builder);
        });
    }

    @Override
    public Outcome withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return step.withVolume(
                command.key(),
                volume -> volume.expansionTo(command.range(), Expansion.Stage.CONTROLLER)
                        .filter(known -> volume.createIndex() == command.volumeIndex())
                        .map(known -> store(
                                volume,
                                volume.toBuilder()
                                        .spec(withPresentCapacity(volume, known))
                                        .expansion(null)
                                        .unsettledTargets(left(volume))))
                        .orElseGet(step::accepted));
    }

    /** Returns the specification after a withdrawn expansion: it requests the current capacity of the volume. */
    private static VolumeSpec withPresentCapacity(Volume volume, Expansion withdrawn) {
        if (!volume.spec().capacityRange().equals(Optional.of(withdrawn.range()))) {
            return volume.spec();
        }
        long size = volume.facts().capacityBytes();
        CapacityRange range =
                size == 0 ? null : new CapacityRange(size, withdrawn.range().limitBytes());
        return volume.spec().toBuilder().capacityRange(range).restore();
    }

    @Override
    public Outcome recordNodeExpansion(ChangeCommand.RecordNodeExpansion command) {
        return step.withVolume(
                command.key(),
                volume -> NodeExpansions.due(volume, command.allocationId(), command.claimIndex(), command.range())
                        .map(due -> store(
                                volume,
                                volume.toBuilder()
                                        .expansion(due.with(new Expansion.OnNode(
                                                command.claimIndex(), true, command.capacityBytes(), Retry.none())))))
                        .orElseGet(step::accepted));
    }

    @Override
    public Outcome beginModification(ChangeCommand.BeginModification command) {
        return step.withVolume(command.key(), volume -> {
            if (volume.isInline()) {
                return VolumeHandler.unchangeable(volume);
            }
            Modification request = volume.modification()
                    .map(known -> known.and(command.changes(), step.index()))
                    .orElseGet(() -> Modification.of(command.changes(), step.index()));
            // Rejects a change that would make the specification invalid, before ControllerModifyVolume is called:
            // after the call, the change could not be stored.
            List<Problem> problems = spec(volume, request.changes()).problems();
            if (!problems.isEmpty()) {
                return Step.rejected(new Rejection.InvalidRequest("volume " + volume.key(), problems));
            }
            return volume.phase() == VolumePhase.AVAILABLE
                    ? store(volume, volume.toBuilder().modification(request))
                    : Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        });
    }

    private static VolumeSpec spec(Volume volume, Map<String, String> changes) {
        Map<String, String> all = new LinkedHashMap<>(volume.spec().mutableParameters());
        all.putAll(changes);
        return volume.spec().toBuilder().mutableParameters(all).restore();
    }

    @Override
    public Outcome recordModified(ChangeCommand.RecordModified command) {
        return step.withVolume(command.key(), volume -> {
            if (volume.createIndex() != command.volumeIndex()) {
                return step.accepted();
            }
            // Ignores a result whose change is no longer requested: an earlier command has recorded the result, or a
            // newer request has replaced it.
            Optional<Modification> request = volume.modification();
            Map<String, String> done = request.<Map<String, String>>map(
                            known -> known.fulfilled(command.changes(), command.requestIndex()))
                    .orElse(Map.of());
            Modification remaining = request.map(known -> known.without(done.keySet()))
                    .filter(rest -> !rest.changes().isEmpty())
                    .orElse(null);
            return store(volume, volume.toBuilder().spec(spec(volume, done)).modification(remaining));
        });
    }
}
