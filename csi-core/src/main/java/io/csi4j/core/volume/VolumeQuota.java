package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The row of a quota: what the volumes of a namespace, or of a class in it, may use together. A command that would lift
 * the use over a limit is refused. A limit below the use takes nothing away. The use is not part of the row
 * ({@link io.csi4j.core.state.StateReader#quotaUse}).
 *
 * @param key identifies the quota
 * @param volumes the greatest number of volumes; empty for no limit
 * @param bytes the greatest sum of the {@linkplain Volume#countedBytes() counted bytes} of the volumes; empty for no limit
 * @param createIndex the index of the command that added the quota; 0 if the state does not have it
 * @param modifyIndex the index of the last command that changed the quota; 0 if the state does not have it
 */
public record VolumeQuota(QuotaKey key, OptionalLong volumes, OptionalLong bytes, long createIndex, long modifyIndex) {
    public VolumeQuota {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(volumes, "volumes");
        Objects.requireNonNull(bytes, "bytes");
    }

    /** Creates a quota that the state does not have. */
    public VolumeQuota(QuotaKey key, OptionalLong volumes, OptionalLong bytes) {
        this(key, volumes, bytes, 0, 0);
    }

    /** Returns all problems of this quota; empty if it can be stored. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        negative("volumes", volumes, problems);
        negative("bytes", bytes, problems);
        if (volumes.isEmpty() && bytes.isEmpty()) {
            problems.add(new Problem(
                    "volumes",
                    "and bytes are both absent, so the quota limits nothing",
                    "give one, or remove the quota"));
        }
        return List.copyOf(problems);
    }

    private static void negative(String field, OptionalLong limit, List<Problem> problems) {
        if (limit.isPresent() && limit.getAsLong() < 0) {
            problems.add(new Problem(
                    field,
                    "is " + limit.getAsLong(),
                    "give 0 or more; leave it out for no limit, and give 0 to permit nothing"));
        }
    }

    /** Returns this quota with the indexes of a stored row. */
    public VolumeQuota stored(long created, long modified) {
        return new VolumeQuota(key, volumes, bytes, created, modified);
    }

    /** Returns whether the other quota has the same key and limits, whatever its indexes. */
    public boolean sameValues(VolumeQuota other) {
        return stored(0, 0).equals(other.stored(0, 0));
    }
}
