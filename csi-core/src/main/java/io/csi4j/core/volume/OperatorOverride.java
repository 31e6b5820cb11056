package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.time.Instant;
import java.util.Objects;

/**
 * An operator's statement in place of a plugin's response. The state keeps it.
 *
 * @param who the operator
 * @param why the operator's evidence
 * @param at the time of the statement
 */
public record OperatorOverride(String who, String why, Instant at) {
    /**
     * Checks that operator and evidence are given.
     *
     * @throws IllegalArgumentException if one of them is empty or contains an unpaired surrogate
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
