package io.csi4j.core.command;

/**
 * Checks that the index in a command is not negative. Such an index identifies one row, so that the command does not
 * change a newer row with the same key.
 */
final class Indexes {
    private Indexes() {}

    static void check(String command, String name, long index) {
        if (index < 0) {
            throw new IllegalArgumentException(command + ": " + name + " is " + index + "; use 0 to match any row");
        }
    }
}
