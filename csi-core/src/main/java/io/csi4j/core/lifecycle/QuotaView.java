package io.csi4j.core.lifecycle;

import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.VolumeQuota;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A quota with its use, both from the same state.
 *
 * @param key the namespace, and the class if the quota is for one
 * @param volumes the greatest number of volumes; empty for no limit
 * @param bytes the greatest sum of bytes; empty for no limit
 * @param use what the volumes use, by their phase
 * @param createIndex the incarnation: the index of the command that added the quota
 * @param modifyIndex the index of the last command that changed the quota
 */
public record QuotaView(
        QuotaKey key, OptionalLong volumes, OptionalLong bytes, QuotaUse use, long createIndex, long modifyIndex) {
    public QuotaView {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(volumes, "volumes");
        Objects.requireNonNull(bytes, "bytes");
        Objects.requireNonNull(use, "use");
    }

    static QuotaView of(VolumeQuota row, QuotaUse use) {
        return new QuotaView(row.key(), row.volumes(), row.bytes(), use, row.createIndex(), row.modifyIndex());
    }

    /**
     * Returns whether the use is over a limit: a limit was set below the use, or the provider made a volume larger than it
     * was asked for.
     */
    public boolean over() {
        return over(volumes, use.volumes()) || over(bytes, use.bytes());
    }

    private static boolean over(OptionalLong limit, long used) {
        return limit.isPresent() && used > limit.getAsLong();
    }
}
