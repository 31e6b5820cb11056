package io.csi4j.core.command;

/** Checks the indexes in commands that are meant for one row, and for none that came after it. */
final class Indexes {
    private Indexes() {}

    static void check(String command, String name, long index) {
        if (index < 0) {
            throw new IllegalArgumentException(
                    command + ": " + name + " is " + index + "; use 0 for whichever there is");
        }
    }
}
