package io.csi4j.core.volume;

import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;

/**
 * An operator's statement that the engine accepts in place of a plugin's response. The statement is stored in the
 * state.
 *
 * @param operator the name of the operator
 * @param reason the operator's evidence
 * @param at the time of the statement
 */
public record OperatorOverride(String operator, String reason, Instant at) {
    /**
     * Checks that operator and evidence are given.
     *
     * @throws IllegalArgumentException if one of them is empty or contains an unpaired surrogate
     */
    public OperatorOverride {
        Text.checked("OperatorOverride: who", operator);
        Text.checked("OperatorOverride: why", reason);
        Objects.requireNonNull(at, "at");
        if (operator.isEmpty() || reason.isEmpty()) {
            throw new IllegalArgumentException("OperatorOverride: say who overrides, and why; both are kept");
        }
    }
}
