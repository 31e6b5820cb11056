package io.csi4j.node.internal.ledger;

import io.csi4j.core.internal.text.Text;

/**
 * An operator's order to unmount a target without the plugin, or to finish an unmount without the plugin.
 *
 * @param operator the operator
 * @param reason the reason
 * @param atMillis the time, in milliseconds since the epoch
 */
public record UnmountOrder(String operator, String reason, long atMillis) {
    private static final int LONGEST_OPERATOR = 200;
    private static final int LONGEST_REASON = 1000;

    /**
     * Checks the fields and returns the order.
     *
     * @param call the method that got the fields, for the messages
     * @throws IllegalArgumentException that names an invalid field
     */
    public static UnmountOrder checked(String call, String operator, String reason, long atMillis) {
        check(call + ": operator", operator, LONGEST_OPERATOR, "give the name of who orders the unmount");
        check(call + ": reason", reason, LONGEST_REASON, "say why the plugin cannot do it");
        return new UnmountOrder(operator, reason, atMillis);
    }

    private static void check(String named, String text, int longest, String remedy) {
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
