package io.csi4j.state.internal.tree;

import java.util.Objects;

/**
 * A place between keys, given by a text that need not be a key.
 *
 * @param text parts joined by the character 0; the last may be cut short
 * @param past false: before the first key that is not smaller than the text; true: after all keys that start
 *     with the text
 */
public record Bound(String text, boolean past) implements Comparable<Bound> {
    /** Checks that there is a text. */
    public Bound {
        Objects.requireNonNull(text, "text");
    }

    /**
     * Before the first key that is not smaller than a text.
     *
     * @return the place
     */
    public static Bound at(String text) {
        return new Bound(text, false);
    }

    /**
     * Right after one key, whether it is there or not.
     *
     * @param text the whole key's text
     * @return the place
     */
    public static Bound after(String text) {
        return new Bound(text + '\0', false);
    }

    /**
     * After all keys that start with a text.
     *
     * @param prefix the text
     * @return the place
     */
    public static Bound past(String prefix) {
        return new Bound(prefix, true);
    }

    /** By place; a bound past a prefix comes after all that start with it. */
    @Override
    public int compareTo(Bound other) {
        int end = Math.min(text.length(), other.text.length());
        for (int i = 0; i < end; i++) {
            int order = text.charAt(i) - other.text.charAt(i);
            if (order != 0) {
                return order;
            }
        }
        if (text.length() == other.text.length()) {
            return Boolean.compare(past, other.past);
        }
        boolean shorter = text.length() < other.text.length();
        return shorter ? (past ? 1 : -1) : other.past ? -1 : 1;
    }
}
