package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.Rejection.QuotaExceeded.Excess;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Compares a volume that is about to be stored with the quotas that count it: that of its namespace, and that of its
 * class there. Quota and use are read in the transaction of the command, so servers cannot admit more together than the
 * limit permits. The cost does not depend on the number of volumes.
 */
final class QuotaCheck {
    private final StateReader state;
    private final VolumeKey key;
    private final List<Counted> quotas = new ArrayList<>(2);

    /** A quota, and its use before the command. */
    private record Counted(VolumeQuota quota, QuotaUse before) {}

    private QuotaCheck(StateReader state, VolumeKey key, Optional<VolumeClassName> className) {
        this.state = state;
        this.key = key;
        add(QuotaKey.of(key.namespace()));
        className.ifPresent(name -> add(QuotaKey.of(key.namespace(), name)));
    }

    private void add(QuotaKey of) {
        state.quota(of).ifPresent(quota -> quotas.add(new Counted(quota, state.quotaUse(of))));
    }

    /** Reads the quotas of a volume and their use. Call this before the command has changed anything. */
    static QuotaCheck before(StateReader state, VolumeKey key, Optional<ClassOrigin> classOrigin) {
        return new QuotaCheck(state, key, classOrigin.map(ClassOrigin::name));
    }

    /** Returns the problem of a creation without a size, if a quota limits the bytes. */
    Optional<Problem> withoutSize(VolumeSpec spec) {
        if (spec.capacityRange().map(CapacityRange::requiredBytes).orElse(0L) > 0) {
            return Optional.empty();
        }
        return quotas.stream()
                .map(Counted::quota)
                .filter(quota -> quota.bytes().isPresent())
                .findFirst()
                .map(quota -> new Problem(
                        "capacityRange",
                        "does not say how many bytes are required, and the " + quota.key() + " limits bytes",
                        "give requiredBytes, or a class with a default size"));
    }

    /**
     * Returns the rejection of a request that would lift the use over a limit, with all limits that it exceeds. A request
     * that does not raise the use is never rejected, also if the use is over the limit.
     *
     * @param present the volume as it is stored; null if it is new
     * @param candidate the volume as the command would store it
     */
    Optional<Rejection> exceeded(@Nullable Volume present, Volume candidate) {
        List<Excess> excesses = excesses(present, candidate);
        return excesses.isEmpty() ? Optional.empty() : Optional.of(new Rejection.QuotaExceeded(key, excesses));
    }

    /**
     * Returns the rejection of a new volume that would be stored after others that are not in the state yet.
     *
     * @param others the new volumes that would be stored before it
     * @param freed the volume whose row would be removed before it, if there is one
     */
    Optional<Rejection> exceededBeside(Volume candidate, Collection<Volume> others, Optional<Volume> freed) {
        List<Excess> excesses = new ArrayList<>();
        for (Counted counted : quotas) {
            QuotaKey of = counted.quota.key();
            List<Volume> coming =
                    others.stream().filter(volume -> isCounted(of, volume)).toList();
            boolean frees = freed.filter(volume -> isCounted(of, volume)).isPresent();
            long bytes = counted.before.bytes() - (frees ? freed.get().countedBytes() : 0);
            for (Volume volume : coming) {
                bytes = sum(bytes, volume.countedBytes());
            }
            long volumes = counted.before.volumes() + coming.size() - (frees ? 1 : 0);
            addExcess(excesses, Excess.Unit.VOLUMES, of, counted.quota.volumes(), volumes, volumes, 1);
            addExcess(excesses, Excess.Unit.BYTES, of, counted.quota.bytes(), bytes, bytes, candidate.countedBytes());
        }
        return excesses.isEmpty() ? Optional.empty() : Optional.of(new Rejection.QuotaExceeded(key, excesses));
    }

    private static boolean isCounted(QuotaKey quota, Volume volume) {
        return quota.namespace().equals(volume.key().namespace())
                && (quota.className().isEmpty()
                        || quota.className().equals(volume.classOrigin().map(ClassOrigin::name)));
    }

    private static long sum(long one, long two) {
        return one > Long.MAX_VALUE - two ? Long.MAX_VALUE : one + two;
    }

    /** Adds an effect for each quota over whose limit an answer of the provider lifts the use. */
    void overByProvider(Step step, Volume present, Volume candidate) {
        excesses(present, candidate).forEach(excess -> step.effect(new Effect.QuotaOverrun(key, excess)));
    }

    private List<Excess> excesses(@Nullable Volume present, Volume candidate) {
        List<Excess> excesses = new ArrayList<>();
        long moreVolumes = present == null ? 1 : 0;
        long moreBytes = candidate.countedBytes() - (present == null ? 0 : present.countedBytes());
        for (Counted counted : quotas) {
            VolumeQuota quota = counted.quota;
            // The command may have removed the withdrawn creation for which the volume stands now.
            QuotaUse now = state.quotaUse(quota.key());
            addExcess(
                    excesses,
                    Excess.Unit.VOLUMES,
                    quota.key(),
                    quota.volumes(),
                    counted.before.volumes(),
                    now.volumes(),
                    moreVolumes);
            addExcess(
                    excesses,
                    Excess.Unit.BYTES,
                    quota.key(),
                    quota.bytes(),
                    counted.before.bytes(),
                    now.bytes(),
                    moreBytes);
        }
        return excesses;
    }

    private static void addExcess(
            List<Excess> excesses,
            Excess.Unit unit,
            QuotaKey quota,
            OptionalLong limit,
            long before,
            long now,
            long more) {
        if (exceeds(limit, before, now, more)) {
            excesses.add(new Excess(quota, unit, limit.getAsLong(), now, more));
        }
    }

    /** Compares without a sum, because sums could overflow. */
    private static boolean exceeds(OptionalLong limit, long before, long now, long more) {
        return limit.isPresent()
                && more > 0
                && more > before - now
                && (more > limit.getAsLong() || now > limit.getAsLong() - more);
    }
}
