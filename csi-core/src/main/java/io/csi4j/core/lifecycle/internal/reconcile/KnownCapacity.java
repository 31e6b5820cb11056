package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.capacity.CapacityPlace;
import io.csi4j.core.internal.capacity.CapacityUse;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of the leader about one class in one topology. All times are elapsed times in nanoseconds. Guarded by the monitor
 * of {@link CapacityQueries}.
 */
final class KnownCapacity {
    private static final Duration FIRST_REFUSAL = Duration.ofMinutes(1);
    private static final Duration LONGEST_REFUSAL = Duration.ofMinutes(10);
    private static final int MOST_DOUBLINGS = 4;
    private static final int RECENT_INTERVALS = 2;

    final CapacityPlace place;
    final PluginId plugin;
    /** The version of the class that the last answers are about. */
    private final long classIndex;

    private @Nullable Answer answer;
    private @Nullable String failure;
    /** Whether a question is in flight. */
    private boolean asking;
    /** When the last question was sent; null before the first one. */
    private @Nullable Long askedAt;
    /** Whether the capacity has changed since the last question was sent. */
    private boolean changed;
    /** The bytes of volumes that were made since the question of the answer was sent, and since the last question. */
    private long madeBytes;

    private long madeWhileAsking;
    private @Nullable Refusal refusal;
    /** The number of refusals since the last answer. */
    private int refusals;

    private record Answer(GetCapacityResponse response, long askedAt) {}

    private record Refusal(long bytes, long at, Duration lasts) {}

    KnownCapacity(CapacityPlace place, VolumeClass row) {
        this.place = place;
        this.plugin = row.pluginId();
        this.classIndex = row.modifyIndex();
    }

    boolean isFor(VolumeClass row) {
        return row.modifyIndex() == classIndex && row.pluginId().equals(plugin);
    }

    boolean isRefused(long now) {
        Refusal last = refusal;
        return last != null && !isOver(last, now);
    }

    /** Returns when the last question was sent; a long time ago if there was none. */
    long lastAsked(long now) {
        return askedAt == null ? now - Long.MAX_VALUE / 2 : askedAt;
    }

    /** Returns whether something has happened here that the answer does not have. */
    boolean isChanged() {
        return changed;
    }

    /** Returns the time until the next question. */
    Duration due(long now, Duration interval, Duration floor) {
        if (askedAt == null) {
            return Duration.ZERO;
        }
        Duration left = (changed ? floor : interval).minusNanos(now - askedAt);
        return left.isNegative() ? Duration.ZERO : left;
    }

    void asks(long now) {
        asking = true;
        askedAt = now;
        changed = false;
        madeWhileAsking = 0;
    }

    void answered(GetCapacityResponse response) {
        long sent = Objects.requireNonNull(askedAt);
        asking = false;
        failure = null;
        // The answer is as old as its question: it may be late.
        answer = new Answer(response, sent);
        madeBytes = madeWhileAsking;
        Refusal last = refusal;
        if (last != null && last.at() - sent < 0) {
            refusal = null;
            refusals = 0;
        }
    }

    /** The question was not sent. */
    void skipped() {
        asking = false;
    }

    void failed(String why) {
        asking = false;
        failure = why;
    }

    void change() {
        changed = true;
    }

    void made(long bytes) {
        changed = true;
        madeBytes = CapacityUse.sum(madeBytes, bytes);
        madeWhileAsking = asking ? CapacityUse.sum(madeWhileAsking, bytes) : 0;
    }

    /** Takes note that the plugin had no capacity for a volume. Each further time this is remembered for longer. */
    void refused(long bytes, long now) {
        changed = true;
        Duration lasts = FIRST_REFUSAL.multipliedBy(1L << Math.min(refusals, MOST_DOUBLINGS));
        refusals++;
        Refusal last = refusal;
        long least = last == null || isOver(last, now) ? bytes : Math.min(bytes, last.bytes());
        refusal = new Refusal(least, now, lasts.compareTo(LONGEST_REFUSAL) > 0 ? LONGEST_REFUSAL : lasts);
    }

    /** A volume was deleted here, so there may be capacity for what was refused. */
    void freed() {
        changed = true;
        refusal = null;
    }

    private static boolean isOver(Refusal refusal, long now) {
        return now - refusal.at() >= refusal.lasts().toNanos();
    }

    PlaceCapacity view(long now, Duration interval) {
        Answer known = answer;
        Refusal last = refusal;
        Optional<Duration> age = Optional.ofNullable(known).map(said -> Duration.ofNanos(now - said.askedAt()));
        return new PlaceCapacity(
                place.className(),
                place.topology(),
                known == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(known.response().availableCapacity()),
                known == null ? OptionalLong.empty() : optional(known.response().maximumVolumeSize()),
                known == null ? OptionalLong.empty() : optional(known.response().minimumVolumeSize()),
                age,
                age.filter(old -> old.compareTo(interval.multipliedBy(RECENT_INTERVALS)) < 0)
                        .isPresent(),
                madeBytes,
                last == null || isOver(last, now) ? OptionalLong.empty() : OptionalLong.of(last.bytes()),
                Optional.ofNullable(failure));
    }

    private static OptionalLong optional(Optional<Long> size) {
        return size.isPresent() ? OptionalLong.of(size.get()) : OptionalLong.empty();
    }
}
