package io.csi4j.node.internal.ledger;

import io.csi4j.core.csi.Text;

/**
 * An operator's order to unmount a target without the plugin.
 *
 * @param operator the operator
 * @param reason the reason
 * @param atMillis the time, in milliseconds since the epoch
 */
public record UnmountOrder(String operator, String reason, long atMillis) {
    private static final int LONGEST_OPERATOR = 200;
    private static final int LONGEST_REASON = 1000;

    /** Checks the fields and returns the order; throws an IllegalArgumentException that names an invalid field. */
    public static UnmountOrder checked(String operator, String reason, long atMillis) {
        check("operator", operator, LONGEST_OPERATOR, "give the name of who orders the unmount");
        check("reason", reason, LONGEST_REASON, "say why the plugin cannot do it");
        return new UnmountOrder(operator, reason, atMillis);
    }

    private static void check(String field, String text, int longest, String remedy) {
        String named = "unmountDirectly: " + field;
        Text.checked(named, text);
        if (text.isBlank()) {
            throw new IllegalArgumentException(named + " is blank; " + remedy);
        }
        if (text.length() > longest) {
            throw new IllegalArgumentException(
                    named + " has " + text.length() + " characters; give at most " + longest);
        }
    }

    /** Returns the order as text for operators. */
    public String printable() {
        return "ordered by " + Text.printable(operator) + ": " + Text.printable(reason);
    }
}
