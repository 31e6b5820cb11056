package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.snapshot.SnapshotContent;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;

/** Keeps the rows of snapshots. */
final class SnapshotHandler implements SnapshotCommand.Cases<Outcome> {
    private final Step step;

    SnapshotHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome createSnapshot(SnapshotCommand.CreateSnapshot command) {
        Optional<VolumeSnapshot> known = step.reader().snapshot(command.key());
        if (known.isPresent()) {
            return repeated(command.spec(), known.get());
        }
        SnapshotSpec spec = command.spec();
        return step.withVolume(spec.source(), volume -> {
            if (volume.createIndex() != spec.sourceIndex()
                    || !volume.externalVolumeId().equals(Optional.of(spec.sourceVolumeId()))
                    || !volume.pluginId().equals(spec.pluginId())) {
                return Step.rejected(
                        new Rejection.VolumeChanged(spec.source(), spec.sourceIndex(), volume.modifyIndex()));
            }
            return refusal(command.key(), volume)
                    .map(Step::rejected)
                    .orElseGet(() -> store(VolumeSnapshot.creating(
                            command.key(), spec, SnapshotContent.of(volume), step.index(), step.at())));
        });
    }

    private Outcome repeated(SnapshotSpec asked, VolumeSnapshot known) {
        if (known.isAskedBy(asked)) {
            step.effect(new Effect.SnapshotStored(known));
            return step.accepted();
        }
        boolean ends = known.deletionRequested() || known.phase() == SnapshotPhase.DELETING;
        return Step.rejected(new Rejection.InvalidRequest(
                "snapshot " + known.key(),
                List.of(new Problem(
                        "key",
                        ends
                                ? "names a snapshot that is being deleted"
                                : "names a snapshot of volume " + known.spec().source()
                                        + " that was requested with other values",
                        ends ? "wait until it is gone, or use another name" : "use another name"))));
    }

    /** Returns why no snapshot can be made of a volume now. */
    private Optional<Rejection> refusal(SnapshotKey key, Volume volume) {
        if (volume.phase() != VolumePhase.AVAILABLE) {
            return Optional.of(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        Optional<Rejection> lost = Verifications.lost(volume);
        if (lost.isPresent()) {
            return lost;
        }
        List<Problem> problems = PluginOffer.of(step.reader(), volume.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_SNAPSHOT, "snapshots")
                .problems();
        return problems.isEmpty()
                ? Optional.empty()
                : Optional.of(new Rejection.InvalidRequest("snapshot " + key, problems));
    }

    /** Stores a row, unless only its revision would change: a repeated command has no effect. */
    private Outcome store(VolumeSnapshot row) {
        Optional<VolumeSnapshot> same =
                step.reader().snapshot(row.key()).filter(known -> known.equals(row.modified(known.modifyIndex())));
        if (same.isEmpty()) {
            step.writer().put(RowType.SNAPSHOTS, row);
        }
        step.effect(new Effect.SnapshotStored(same.orElse(row)));
        return step.accepted();
    }

    /** Returns the row to which a command of the leader applies. */
    private Optional<VolumeSnapshot> row(SnapshotKey key, long createIndex, SnapshotPhase phase) {
        return step.reader().snapshot(key).filter(row -> row.createIndex() == createIndex && row.phase() == phase);
    }

    @Override
    public Outcome beginSnapshot(SnapshotCommand.BeginSnapshot command) {
        return row(command.key(), command.createIndex(), SnapshotPhase.CREATING)
                .map(row -> store(measured(row).begun(step.index())))
                .orElseGet(() -> Step.rejected(new Rejection.SnapshotNotFound(command.key())));
    }

    /** Returns the row with the size that the source has now, unless the plugin has described the snapshot. */
    private VolumeSnapshot measured(VolumeSnapshot row) {
        boolean first = row.provided().isEmpty();
        return step.reader()
                .volume(row.spec().source())
                .filter(source -> first && source.createIndex() == row.spec().sourceIndex())
                .map(source -> row.cutFrom(SnapshotContent.of(source)))
                .orElse(row);
    }

    @Override
    public Outcome recordSnapshot(SnapshotCommand.RecordSnapshot command) {
        return row(command.key(), command.createIndex(), SnapshotPhase.CREATING)
                .map(row -> store(row.described(command.provided(), step.index())))
                .orElseGet(step::accepted);
    }

    @Override
    public Outcome recordSnapshotError(SnapshotCommand.RecordSnapshotError command) {
        SnapshotPhase phase = command.deletion() ? SnapshotPhase.DELETING : SnapshotPhase.CREATING;
        return row(command.key(), command.createIndex(), phase)
                .map(row -> row.failed(command.attempt(), step.index()))
                .map(row -> row.deletionRequested() && row.phase() == SnapshotPhase.FAILED ? remove(row) : store(row))
                .orElseGet(step::accepted);
    }

    @Override
    public Outcome deleteSnapshot(SnapshotCommand.DeleteSnapshot command) {
        Optional<VolumeSnapshot> known = step.reader()
                .snapshot(command.key())
                .filter(row -> command.ifCreateIndex() == 0 || row.createIndex() == command.ifCreateIndex());
        if (known.isEmpty()) {
            return step.accepted();
        }
        VolumeSnapshot row = known.get();
        if (row.phase() == SnapshotPhase.MAYBE_LEAKED) {
            return Step.rejected(new Rejection.InvalidRequest(
                    "snapshot " + row.key(),
                    List.of(new Problem(
                            "key",
                            "names a snapshot that the storage provider may have under the name "
                                    + row.spec().providerName() + ", without an id that is known here",
                            "look at the storage provider, remove it there, and let an operator forget this one"))));
        }
        boolean neverMade = row.provided().isEmpty()
                && (row.phase() == SnapshotPhase.FAILED
                        || row.retry().unresolved().isEmpty());
        return neverMade ? remove(row) : store(row.deleting(step.index()));
    }

    private Outcome remove(VolumeSnapshot row) {
        step.writer().remove(RowType.SNAPSHOTS, row.key());
        return step.accepted();
    }

    @Override
    public Outcome removeSnapshot(SnapshotCommand.RemoveSnapshot command) {
        return row(command.key(), command.createIndex(), SnapshotPhase.DELETING)
                .map(this::remove)
                .orElseGet(step::accepted);
    }

    @Override
    public Outcome forgetSnapshot(SnapshotCommand.ForgetSnapshot command) {
        return step.reader()
                .snapshot(command.key())
                .filter(row -> row.createIndex() == command.createIndex())
                .map(this::remove)
                .orElseGet(step::accepted);
    }
}
