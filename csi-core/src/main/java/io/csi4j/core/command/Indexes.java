package io.csi4j.core.command;

/**
 * Checks the index in a command. The index identifies one row, so that the command does not change a newer row with the
 * same key.
 */
final class Indexes {
    private Indexes() {}

    static void check(String command, String name, long index) {
        if (index < 0) {
            throw new IllegalArgumentException(command + ": " + name + " is " + index + "; use 0 to match any row");
        }
    }
}
