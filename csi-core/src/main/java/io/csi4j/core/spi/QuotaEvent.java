package io.csi4j.core.spi;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.QuotaKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Reports a change of a quota, or that an answer of a storage provider lifted its use over its limit.
 *
 * @param key the quota
 * @param volume the volume for which the provider answered; empty for other changes
 * @param index the index of a state with the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record QuotaEvent(QuotaKey key, Change change, Optional<VolumeKey> volume, long index, Instant at) {
    public QuotaEvent {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of a quota. */
    public enum Change {
        /** The quota was added. */
        ADDED,
        /** The limits of the quota were replaced. */
        REPLACED,
        /** The quota was removed. */
        REMOVED,
        /**
         * The storage provider made a volume larger than it was asked for, and the use is over the limit now. New requests
         * are refused until it is below the limit.
         */
        OVER_BY_PROVIDER
    }
}
