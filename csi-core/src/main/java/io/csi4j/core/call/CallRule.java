package io.csi4j.core.call;

import java.util.Objects;

/**
 * The meaning of one status code for one RPC, and the place where the call is repeated.
 *
 * @param outcome the outcome for the caller
 * @param repeat the place where the call is repeated before the caller gets the failure
 * @param reason the reason with the number of the CSI rule, for people
 */
public record CallRule(CallOutcome outcome, Repeat repeat, String reason) {
    /**
     * Checks that only an outcome that permits a repeat is repeated.
     *
     * @throws IllegalArgumentException if the outcome does not permit the repeat, or the reason is blank
     */
    public CallRule {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(repeat, "repeat");
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
     * Returns a rule by which the client repeats the call at the same instance.
     *
     * @param outcome the outcome if the repeats have failed
     * @throws IllegalArgumentException if the outcome does not permit a repeat
     */
    public static CallRule here(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.HERE, reason);
    }

    /**
     * Returns a rule by which the call may be repeated at another instance of the plugin, by a caller that knows one.
     *
     * @throws IllegalArgumentException if the outcome does not permit a repeat
     */
    public static CallRule elsewhere(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.ELSEWHERE, reason);
    }

    /** Returns a rule by which the caller gets the failure at once. */
    public static CallRule never(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.NEVER, reason);
    }
}
