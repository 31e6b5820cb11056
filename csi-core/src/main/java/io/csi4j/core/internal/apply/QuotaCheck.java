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
            if (exceeds(quota.volumes(), counted.before.volumes(), now.volumes(), moreVolumes)) {
                excesses.add(new Excess(
                        quota.key(), Excess.Unit.VOLUMES, quota.volumes().getAsLong(), now.volumes(), moreVolumes));
            }
            if (exceeds(quota.bytes(), counted.before.bytes(), now.bytes(), moreBytes)) {
                excesses.add(
                        new Excess(quota.key(), Excess.Unit.BYTES, quota.bytes().getAsLong(), now.bytes(), moreBytes));
            }
        }
        return excesses;
    }

    /** Compares without a sum, because sums could overflow. */
    private static boolean exceeds(OptionalLong limit, long before, long now, long more) {
        return limit.isPresent()
                && more > 0
                && more > before - now
                && (more > limit.getAsLong() || now > limit.getAsLong() - more);
    }
}
