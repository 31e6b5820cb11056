package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The context in which one command is applied: the state, the index and time of the command, and the effects so far.
 */
final class Step {
    private final WritableState state;
    private final long index;
    private final Instant at;
    private final List<Effect> effects = new ArrayList<>(2);
    private boolean changed;

    Step(WritableState state, long index, Instant at) {
        this.state = state;
        this.index = index;
        this.at = at;
    }

    StateReader reader() {
        return state;
    }

    /** Returns the state for writing, and records that the command changes the state. */
    WritableState writer() {
        changed = true;
        return state;
    }

    long index() {
        return index;
    }

    Instant at() {
        return at;
    }

    /**
     * Stores a volume, and sets its modify index to the index of this command. An expansion that is finished for the
     * claims of the volume ends here, because the end of a claim can finish it, too. A size that an earlier expansion may
     * still bring is dropped if the volume has it, because volumes do not shrink. A volume with a claim or an attachment
     * is used, so that it is not made for a claim any more.
     */
    Volume store(Volume.Builder builder) {
        Volume volume = builder.modified(index, at).build();
        Optional<FirstClaim> first = volume.inUse() ? volume.firstClaim() : Optional.empty();
        if (first.isPresent()) {
            volume = volume.toBuilder().firstClaim(null).build();
        }
        Optional<Expansion> expansion = volume.expansion();
        if (expansion.isPresent()) {
            Expansion remaining = expansion.get().remaining(volume.claims()).orElse(null);
            volume = volume.toBuilder().expansion(remaining).build();
        }
        long size = volume.facts().capacityBytes();
        if (volume.unsettledTargets().stream().anyMatch(target -> target <= size)) {
            volume = volume.toBuilder()
                    .unsettledTargets(volume.unsettledTargets().stream()
                            .filter(target -> target > size)
                            .toList())
                    .build();
        }
        writer().putVolume(volume);
        first.ifPresent(claim -> UnreferencedRows.removeGoneNode(this, claim.nodeId()));
        return volume;
    }

    void effect(Effect effect) {
        effects.add(effect);
    }

    Outcome accepted() {
        return new Outcome.Accepted(changed, effects);
    }

    /** Applies a change to a volume; rejects the command if the state does not have the volume. */
    Outcome withVolume(VolumeKey key, Function<Volume, Outcome> change) {
        return state.volume(key).map(change).orElseGet(() -> rejected(new Rejection.VolumeNotFound(key)));
    }

    static Outcome rejected(Rejection reason) {
        return new Outcome.Rejected(reason);
    }

    /** Copies the rows of an iterable view, because the view must not be used after a write. */
    static <T> List<T> collect(Iterable<T> rows) {
        List<T> list = new ArrayList<>();
        rows.forEach(list::add);
        return list;
    }
}
