package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.time.Instant;
import java.util.Objects;

/**
 * An operator's word in place of a plugin's, kept on record (N2).
 *
 * @param who who gave it
 * @param why on what grounds
 * @param at when
 */
public record OperatorOverride(String who, String why, Instant at) {
    /**
     * Checks that the record says who and why.
     *
     * @throws IllegalArgumentException if one of them is empty or holds an unpaired surrogate
     */
    public OperatorOverride {
        Text.checked("OperatorOverride: who", who);
        Text.checked("OperatorOverride: why", why);
        Objects.requireNonNull(at, "at");
        if (who.isEmpty() || why.isEmpty()) {
            throw new IllegalArgumentException("OperatorOverride: say who overrides, and why; it is kept on record");
        }
    }
}
