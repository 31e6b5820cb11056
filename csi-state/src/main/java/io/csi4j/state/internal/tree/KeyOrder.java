package io.csi4j.state.internal.tree;

/**
 * How keys sort: as the sequence of their parts, each by UTF-16 code unit, joined by the character 0.
 * No part may hold that character, so a short key's end shows in its digest.
 *
 * <p>Most comparisons inside a node are made on digests: up to eight units of the sequence in one {@code long}.
 * A digest never sorts against the order of the keys, it only may be equal for keys that differ.
 *
 * @param <K> the key
 */
public abstract class KeyOrder<K> {
    /** An order; it has no state. */
    protected KeyOrder() {}

    /**
     * How many parts a key has.
     *
     * @return at least 1, the same for all keys
     */
    public abstract int parts();

    /**
     * One part of a key.
     *
     * @param index from 0
     * @return the text
     */
    public abstract String part(K key, int index);

    /**
     * The whole key as one text, as bounds and page tokens see it.
     *
     * @return its parts, joined by the character 0
     */
    public final String text(K key) {
        if (parts() == 1) {
            return part(key, 0);
        }
        StringBuilder text = new StringBuilder(part(key, 0));
        for (int i = 1; i < parts(); i++) {
            text.append('\0').append(part(key, i));
        }
        return text.toString();
    }

    @SuppressWarnings("ReferenceEquality") // the same key again needs no look at its parts
    final int compare(K left, K right) {
        if (left == right) {
            return 0;
        }
        int parts = parts();
        for (int i = 0; i < parts; i++) {
            String a = part(left, i);
            String b = part(right, i);
            int order = sameObject(a, b) ? 0 : a.compareTo(b);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    final int compare(Bound bound, K key) {
        String text = bound.text();
        int at = 0;
        int parts = parts();
        for (int i = 0; i < parts; i++) {
            String part = part(key, i);
            int length = part.length();
            for (int j = 0; j <= length; j++, at++) {
                if (j == length && i == parts - 1) {
                    break;
                }
                if (at == text.length()) {
                    return bound.past() ? 1 : -1;
                }
                int order = text.charAt(at) - (j == length ? '\0' : part.charAt(j));
                if (order != 0) {
                    return order;
                }
            }
        }
        return at < text.length() || bound.past() ? 1 : 0;
    }

    /** How many units both keys start with. */
    final int common(K left, K right) {
        int common = 0;
        int parts = parts();
        for (int i = 0; i < parts; i++) {
            String a = part(left, i);
            String b = part(right, i);
            int same = sameObject(a, b) ? a.length() : mismatch(a, b);
            common += same;
            if (same < a.length() || same < b.length() || i == parts - 1) {
                return common;
            }
            common++;
        }
        return common;
    }

    /** Whether both keys start with the same units; the second key is at least that long. */
    final boolean share(K left, K right, int units) {
        int rest = units;
        int parts = parts();
        for (int i = 0; i < parts && rest > 0; i++) {
            String a = part(left, i);
            String b = part(right, i);
            int length = b.length();
            if (rest > length && i < parts - 1) {
                if (!a.equals(b)) {
                    return false;
                }
                rest -= length + 1;
            } else {
                return a.regionMatches(0, b, 0, rest);
            }
        }
        return true;
    }

    /** The digest of the units from {@code skip} on. */
    final long digest(K key, int skip) {
        return Probe.digest(this, key, skip);
    }

    private static int mismatch(String a, String b) {
        int end = Math.min(a.length(), b.length());
        for (int i = 0; i < end; i++) {
            if (a.charAt(i) != b.charAt(i)) {
                return i;
            }
        }
        return end;
    }

    /** Namespaces and plugin ids are shared, so that most equal texts are the same object. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean sameObject(String a, String b) {
        return a == b;
    }
}
