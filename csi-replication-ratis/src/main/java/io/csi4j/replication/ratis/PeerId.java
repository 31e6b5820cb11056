package io.csi4j.replication.ratis;

import java.util.regex.Pattern;

/**
 * The id of a peer: one server of the replicated log. Unique in a cluster, and never used again for another data directory.
 *
 * @param value 1 to 64 letters, digits, dots, hyphens or underscores
 */
public record PeerId(String value) {
    private static final int LONGEST = 64;
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9._-]{1," + LONGEST + "}");

    public PeerId {
        if (!VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException("PeerId: \"" + value + "\" is not usable; give 1 to " + LONGEST
                    + " letters, digits, dots, hyphens or underscores");
        }
    }

    /** Returns the id with a value. */
    public static PeerId of(String value) {
        return new PeerId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
