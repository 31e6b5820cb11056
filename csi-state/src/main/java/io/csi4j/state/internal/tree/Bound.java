package io.csi4j.state.internal.tree;

import java.util.Objects;

/**
 * A position between two keys, given by a text that need not be a key.
 *
 * @param text the parts, joined by the character 0; the last part may be a prefix
 * @param past false: before the first key that is not smaller than the text; true: after all keys that start with the text
 */
public record Bound(String text, boolean past) implements Comparable<Bound> {
    public Bound {
        Objects.requireNonNull(text, "text");
    }

    /** Returns the position before the first key that is not smaller than a text. */
    public static Bound at(String text) {
        return new Bound(text, false);
    }

    /**
     * Returns the position right after one key, which need not exist.
     *
     * @param text the text of the whole key
     */
    public static Bound after(String text) {
        return new Bound(text + '\0', false);
    }

    /** Returns the position after all keys that start with a prefix. */
    public static Bound past(String prefix) {
        return new Bound(prefix, true);
    }

    /** Compares positions; a bound past a prefix comes after all keys that start with it. */
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
