package io.csi4j.core.volume;

import java.util.Objects;

/**
 * The volumes that a quota counts, by their phase. Each volume counts until its row is removed, also while it is being
 * deleted. A creation that was withdrawn and may have made a volume counts until it is settled.
 *
 * @param ready the volumes in phase AVAILABLE
 * @param creating the volumes in phase CREATING
 * @param deleting the volumes in phase DELETING
 * @param withdrawn the withdrawn creations
 */
public record QuotaUse(Amount ready, Amount creating, Amount deleting, Amount withdrawn) {
    private static final QuotaUse NONE = new QuotaUse(Amount.NONE, Amount.NONE, Amount.NONE, Amount.NONE);

    public QuotaUse {
        Objects.requireNonNull(ready, "ready");
        Objects.requireNonNull(creating, "creating");
        Objects.requireNonNull(deleting, "deleting");
        Objects.requireNonNull(withdrawn, "withdrawn");
    }

    /**
     * A number of volumes with their size.
     *
     * @param volumes the number of volumes
     * @param bytes the sum of their counted bytes; {@link Long#MAX_VALUE} if the sum is greater than that
     */
    public record Amount(long volumes, long bytes) {
        static final Amount NONE = new Amount(0, 0);

        private Amount plus(long moreVolumes, long moreBytes) {
            return new Amount(sum(volumes, moreVolumes), sum(bytes, moreBytes));
        }
    }

    /** Returns the use of nothing. */
    public static QuotaUse none() {
        return NONE;
    }

    /** Returns the number of all volumes. */
    public long volumes() {
        return total().volumes();
    }

    /** Returns the sum of all counted bytes; {@link Long#MAX_VALUE} if the sum is greater than that. */
    public long bytes() {
        return total().bytes();
    }

    private Amount total() {
        return ready.plus(creating.volumes, creating.bytes)
                .plus(deleting.volumes, deleting.bytes)
                .plus(withdrawn.volumes, withdrawn.bytes);
    }

    /** Returns the use with one more volume. */
    public QuotaUse plus(Volume volume) {
        long bytes = volume.countedBytes();
        return switch (volume.phase()) {
            case AVAILABLE -> new QuotaUse(ready.plus(1, bytes), creating, deleting, withdrawn);
            case CREATING -> new QuotaUse(ready, creating.plus(1, bytes), deleting, withdrawn);
            case DELETING -> new QuotaUse(ready, creating, deleting.plus(1, bytes), withdrawn);
        };
    }

    /** Returns the use with one more withdrawn creation. */
    public QuotaUse plus(WithdrawnCreation creation) {
        return new QuotaUse(ready, creating, deleting, withdrawn.plus(1, creation.countedBytes()));
    }

    private static long sum(long left, long right) {
        return left > Long.MAX_VALUE - right ? Long.MAX_VALUE : left + right;
    }
}
