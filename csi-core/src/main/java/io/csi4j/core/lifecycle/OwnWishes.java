package io.csi4j.core.lifecycle;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Which wishes to modify volumes this engine wrote, so that it knows of every call that was made for them. Only of these
 * may a refusal be believed: of any other, somebody else's call may have been done.
 */
final class OwnWishes {
    private static final Own NONE = new Own(Optional.empty(), Long.MIN_VALUE, true);

    private final Supplier<Optional<Object>> leadership;
    /** The last that was written of each volume, complete once the log told its index. */
    private final ConcurrentMap<VolumeKey, CompletableFuture<Own>> last = new ConcurrentHashMap<>();

    /**
     * None yet.
     *
     * @param leadership stands for the time this engine leads; empty while it does not
     */
    OwnWishes(Supplier<Optional<Object>> leadership) {
        this.leadership = leadership;
    }

    /**
     * One that was written.
     *
     * @param leadership the time this engine led when it was; empty: it did not
     * @param index the wish's
     * @param doubt whether a call for it ended without an answer
     */
    private record Own(Optional<Object> leadership, long index, boolean doubt) {}

    /** Writes a wish, and remembers that it was this engine that did. */
    CompletableFuture<Outcome.Accepted> write(VolumeKey key, Supplier<CompletableFuture<Outcome.Accepted>> command) {
        Optional<Object> led = leadership.get();
        CompletableFuture<Own> mine = new CompletableFuture<>();
        // Before it is written: once it is, the engine's own lane may come to it, and then waits for this.
        last.put(key, mine);
        return begun(command).whenComplete((written, failure) -> {
            if (failure == null) {
                mine.complete(new Own(led, index(written), false));
            } else {
                last.remove(key, mine);
                mine.complete(NONE);
            }
        });
    }

    /** A port that throws must not leave the lane waiting for an index that never comes. */
    private static CompletableFuture<Outcome.Accepted> begun(Supplier<CompletableFuture<Outcome.Accepted>> command) {
        try {
            return command.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static long index(Outcome.Accepted written) {
        return written.effects().stream()
                .filter(Effect.VolumeStored.class::isInstance)
                .map(Effect.VolumeStored.class::cast)
                .flatMap(stored -> stored.volume().modification().stream())
                .mapToLong(Modification::index)
                .findFirst()
                .orElse(NONE.index());
    }

    /** Completes when no write of a wish for the volume is on its way. */
    CompletableFuture<?> written(VolumeKey key) {
        return last.getOrDefault(key, CompletableFuture.completedFuture(NONE));
    }

    private Own own(VolumeKey key) {
        CompletableFuture<Own> known = last.get(key);
        return known == null ? NONE : known.getNow(NONE);
    }

    /** Whether this engine wrote a wish, or took it over, and nobody else has since. */
    boolean has(VolumeKey key, Modification wish) {
        return own(key).index() == wish.index();
    }

    /** A call for a wish ended, and nobody knows what came of it. */
    void doubt(VolumeKey key, Modification wish) {
        last.computeIfPresent(key, (same, known) -> {
            Own own = known.getNow(NONE);
            return own.index() == wish.index()
                    ? CompletableFuture.completedFuture(new Own(own.leadership(), own.index(), true))
                    : known;
        });
    }

    /** Whether every call there was for a wish is known, and was answered with a clear no. */
    boolean mayBelieve(VolumeKey key, Modification wish) {
        Own own = own(key);
        return own.index() == wish.index()
                && !own.doubt()
                && wish.fresh()
                && own.leadership().isPresent()
                && own.leadership().equals(leadership.get());
    }

    /** What is settled, fulfilled or refused, need not be remembered. */
    void settled(Volume volume) {
        if (volume.modification().filter(wish -> !wish.retry().refused()).isEmpty()) {
            last.computeIfPresent(volume.key(), (same, known) -> known.isDone() ? null : known);
        }
    }
}
