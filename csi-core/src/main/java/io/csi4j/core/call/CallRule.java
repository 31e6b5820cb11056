package io.csi4j.core.call;

import java.util.Objects;

/**
 * What one status code means for one RPC, and what is done about it.
 *
 * @param outcome what the failure means for the caller
 * @param repeat whether and where the call is repeated before the caller hears of it
 * @param reason why, with the number of the rule, for people
 */
public record CallRule(CallOutcome outcome, Repeat repeat, String reason) {
    /**
     * Checks that the parts agree: only what may be sent again unchanged is ever repeated.
     *
     * @throws IllegalArgumentException if an outcome that forbids it is to be repeated, or the reason is blank
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
     * A rule that has the client repeat the call at the same instance.
     *
     * @param outcome what it means if repeating did not help
     * @param reason why
     * @return the rule
     * @throws IllegalArgumentException if the outcome forbids it
     */
    public static CallRule here(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.HERE, reason);
    }

    /**
     * A rule that leaves repeating to who knows of another instance.
     *
     * @param outcome what the failure means
     * @param reason why
     * @return the rule
     * @throws IllegalArgumentException if the outcome forbids it
     */
    public static CallRule elsewhere(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.ELSEWHERE, reason);
    }

    /**
     * A rule that hands the failure to the caller at once.
     *
     * @param outcome what the failure means
     * @param reason why
     * @return the rule
     */
    public static CallRule never(CallOutcome outcome, String reason) {
        return new CallRule(outcome, Repeat.NEVER, reason);
    }
}
