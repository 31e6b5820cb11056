package io.csi4j.core.internal.command;

/**
 * Checks that the row index in a command is not negative. A command with the index of a row changes only that row, and
 * not a newer row with the same key; 0 means any row.
 */
final class Indexes {
    private Indexes() {}

    static void check(String command, String name, long index) {
        if (index < 0) {
            throw new IllegalArgumentException(command + ": " + name + " is " + index + "; use 0 to match any row");
        }
    }
}
