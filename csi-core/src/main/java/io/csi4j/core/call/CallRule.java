package io.csi4j.core.call;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * Says what one status code means for one RPC, and whether and at which plugin instance the call is retried.
 *
 * @param outcome the outcome for the caller
 * @param repeat whether, and at which plugin instance, the call is retried before the caller gets the failure
 * @param reason the reason with the number of the CSI rule, for operators
 */
public record CallRule(CallOutcome outcome, Repeat repeat, String reason) {
    /**
     * Checks that a call is retried only if its outcome permits that.
     *
     * @throws IllegalArgumentException if the outcome does not permit a retry, or the reason is blank
     */
    public CallRule {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(repeat, "repeat");
        reason = Text.repaired(reason);
        if (reason.isBlank()) {
            throw new IllegalArgumentException("reason: is blank; say why, for who reads the table");
        }
        boolean repeatable = outcome == CallOutcome.OUTCOME_UNKNOWN || outcome == CallOutcome.RETRY_AFTER_CAUSE;
        if (repeat != Repeat.NEVER && !repeatable) {
            throw new IllegalArgumentException("repeat: " + repeat + " contradicts outcome " + outcome
                    + ": such a call is not sent again unchanged; use NEVER, or another outcome");
        }
    }

    /**
     * Returns a rule by which the client retries the call at the same plugin instance.
     *
     * @param outcome the outcome for the caller if all retries fail
     * @throws IllegalArgumentException if the outcome does not permit a retry
     */
    public static CallRule here(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.HERE, reason);
    }

    /**
     * Returns a rule by which the call may be sent to another instance of the plugin, if the caller knows one.
     *
     * @throws IllegalArgumentException if the outcome does not permit a retry
     */
    public static CallRule elsewhere(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.ELSEWHERE, reason);
    }

    /** Returns a rule by which the caller gets the failure at once. */
    public static CallRule never(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.NEVER, reason);
    }
}
