package io.csi4j.examples.docs;

/**
 * A line of the log.
 *
 * @param level the level, as {@link System.Logger} has it
 * @param text the text, with … for each part that differs from time to time
 */
record LogLine(String level, String text) implements Comparable<LogLine> {
    @Override
    public int compareTo(LogLine other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
        return level + " " + text;
    }
}
