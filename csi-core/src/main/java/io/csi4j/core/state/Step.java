package io.csi4j.core.state;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** One command being applied: where to, at what index and time, and what it did so far. */
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

    /** The rows, for a change. */
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

    /** Stores a volume as changed by this command. */
    Volume store(Volume.Builder builder) {
        Volume volume = builder.modified(index, at).build();
        writer().putVolume(volume);
        return volume;
    }

    void effect(Effect effect) {
        effects.add(effect);
    }

    Outcome accepted() {
        return new Outcome.Accepted(changed, effects);
    }

    static Outcome rejected(Rejection reason) {
        return new Outcome.Rejected(reason);
    }

    /** The rows of a view, so that one can write while walking them. */
    static <T> List<T> collect(Iterable<T> rows) {
        List<T> list = new ArrayList<>();
        rows.forEach(list::add);
        return list;
    }
}
