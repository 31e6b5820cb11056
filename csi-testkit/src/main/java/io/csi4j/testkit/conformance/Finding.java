package io.csi4j.testkit.conformance;

import org.jspecify.annotations.Nullable;

/**
 * One deviation, with the rule that the plugin deviates from.
 *
 * @param text the deviation, as a sentence
 * @param failure whether the finding fails the check; otherwise it is a warning
 * @param requirement the word with which the specification demands the expected behaviour; null if the finding is not about the plugin, but about this machine
 * @param rule the number of the rule, like {@code R51}; empty if there is none
 * @param section the section of the CSI specification that has the rule; empty if there is none
 * @param demand the rule in words; empty if there is none
 * @param message the plugin's own error message; empty if there is none
 */
public record Finding(
        String text,
        boolean failure,
        @Nullable Requirement requirement,
        String rule,
        String section,
        String demand,
        String message) {
    /**
     * Returns the word of the specification and the number of the rule, like {@code MUST R51}. A finding about
     * a demand that does not fail the check is marked as a warning: the outcome is safe for the caller. Empty if there is no rule.
     */
    public String basis() {
        if (requirement == null) {
            return "";
        }
        return requirement + " " + rule + (requirement == Requirement.MUST && !failure ? ", as a warning" : "");
    }

    /** Returns the deviation, the plugin's own message and the rule in one line. */
    @Override
    public String toString() {
        return text
                + (message.isEmpty() ? "" : ": \"" + message + "\"")
                + (requirement == null ? "" : " [" + basis() + "]");
    }
}
