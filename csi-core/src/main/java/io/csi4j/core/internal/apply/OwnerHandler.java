package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Ends the workloads to which volumes belong, and changes what becomes of their volumes. */
final class OwnerHandler implements OwnerCommand.Cases<Outcome> {
    private final Step step;

    OwnerHandler(Step step) {
        this.step = step;
    }

    /** Returns whether the state knows that an incarnation of a workload has ended. */
    static boolean isEnded(StateReader state, Namespace namespace, WorkloadOwner workload) {
        return state.row(RowType.ENDED_OWNERS, new EndedOwner.Key(namespace, workload.name()))
                .filter(row -> row.workload().incarnation() >= workload.incarnation())
                .isPresent();
    }

    @Override
    public Outcome endOwner(OwnerCommand.EndOwner command) {
        if (isEnded(step.reader(), command.namespace(), command.workload())) {
            return step.accepted();
        }
        step.writer().put(RowType.ENDED_OWNERS, new EndedOwner(command.namespace(), command.workload(), step.at()));
        for (VolumeKey key : Step.collect(step.reader()
                .volumesOwnedBy(command.namespace(), command.workload().name()))) {
            step.reader()
                    .volume(key)
                    .ifPresent(volume -> volume.owner()
                            .flatMap(VolumeOwner::ofWorkload)
                            .filter(owner -> owner.endedAt().isEmpty()
                                    && owner.workload().incarnation()
                                            <= command.workload().incarnation())
                            .ifPresent(owner -> end(volume, owner.workload())));
        }
        return step.accepted();
    }

    private void end(Volume volume, WorkloadOwner workload) {
        // A volume that was never used has no data to retain.
        boolean unused =
                volume.isUnused() || (volume.firstClaim().isPresent() && reclaim(volume) == ReclaimPolicy.DELETE);
        if (unused && !Verifications.isOlder(step.reader(), volume)) {
            GivenUp.discard(step, volume);
            return;
        }
        Volume.Builder ended = volume.toBuilder().owner(new VolumeOwner.OfWorkload(workload, Optional.of(step.at())));
        step.store(AllocationEndings.withoutOwner(step, ended));
    }

    /** Returns the reclaim policy of a volume; DELETE for one without a class. */
    static ReclaimPolicy reclaim(Volume volume) {
        return volume.classOrigin().map(ClassOrigin::reclaim).orElse(ReclaimPolicy.DELETE);
    }

    @Override
    public Outcome setReclaim(OwnerCommand.SetReclaim command) {
        return change(command.key(), command.ifCreateIndex(), volume -> {
            Optional<ClassOrigin> origin = volume.classOrigin();
            if (origin.isEmpty()) {
                return invalid(
                        volume,
                        new Problem(
                                "key",
                                "names a volume that was made without a class, so it has no reclaim policy",
                                "delete or deregister it when it is not needed any more"));
            }
            if (origin.get().reclaim() == command.reclaim()) {
                return step.accepted();
            }
            return stored(AllocationEndings.withoutOwner(
                    step, volume.toBuilder().classOrigin(origin.get().withReclaim(command.reclaim()))));
        });
    }

    @Override
    public Outcome setOwner(OwnerCommand.SetOwner command) {
        return change(command.key(), command.ifCreateIndex(), volume -> {
            if (volume.owner().flatMap(VolumeOwner::ofAllocation).isPresent()) {
                return invalid(
                        volume,
                        new Problem(
                                "key",
                                "names a volume that belongs to an allocation, and ends with it",
                                "use a template with the lifetime WORKLOAD or PERSISTENT"));
            }
            if (command.workload()
                    .filter(owner -> isEnded(step.reader(), volume.key().namespace(), owner))
                    .isPresent()) {
                return invalid(
                        volume,
                        new Problem(
                                "workload",
                                "is " + command.workload().get() + ", which has ended",
                                "give the incarnation that runs now"));
            }
            Optional<VolumeOwner> owner =
                    command.workload().map(workload -> new VolumeOwner.OfWorkload(workload, Optional.empty()));
            return owner.equals(volume.owner())
                    ? step.accepted()
                    : stored(volume.toBuilder().owner(owner.orElse(null)));
        });
    }

    private Outcome change(VolumeKey key, long ifCreateIndex, Function<Volume, Outcome> change) {
        Optional<Volume> known = step.reader().volume(key).filter(volume -> volume.createIndex() == ifCreateIndex);
        if (known.isEmpty()) {
            return Step.rejected(new Rejection.VolumeNotFound(key));
        }
        return known.get().phase() == VolumePhase.DELETING
                ? Step.rejected(new Rejection.WrongPhase(key, VolumePhase.DELETING, VolumePhase.AVAILABLE))
                : change.apply(known.get());
    }

    private static Outcome invalid(Volume volume, Problem problem) {
        return Step.rejected(new Rejection.InvalidRequest("volume " + volume.key(), List.of(problem)));
    }

    private Outcome stored(Volume.Builder changed) {
        step.effect(new Effect.VolumeStored(step.store(changed), false));
        return step.accepted();
    }
}
