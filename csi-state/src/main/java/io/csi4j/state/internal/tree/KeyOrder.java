package io.csi4j.state.internal.tree;

/**
 * How keys sort: as the sequence of their parts, each by UTF-16 code unit, joined by the character 0.
 * No part but the last may hold that character.
 *
 * <p>Most comparisons inside a node are made on digests: eight units of the sequence in one {@code long}.
 * A digest never sorts against the order of the keys, it only may be equal for keys that differ.
 *
 * @param <K> the key
 */
public abstract class KeyOrder<K> {
    private static final int UNITS = Long.BYTES;

    /** An order; it has no state. */
    protected KeyOrder() {}

    /**
     * How many parts a key has.
     *
     * @return at least 1, the same for all keys
     */
    protected abstract int parts();

    /**
     * One part of a key.
     *
     * @param key the key
     * @param index from 0
     * @return the text
     */
    protected abstract String part(K key, int index);

    /**
     * The whole key as one text, as bounds and page tokens see it.
     *
     * @param key the key
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

    /** The units from {@code skip} on, so that signed comparison of digests agrees with the order of keys. */
    final long digest(K key, int skip) {
        long digest = 0;
        int units = 0;
        int at = skip;
        int parts = parts();
        for (int i = 0; i < parts; i++) {
            String part = part(key, i);
            int length = part.length();
            if (at > length) {
                at -= length + 1;
                continue;
            }
            while (at < length && units < UNITS) {
                int unit = part.charAt(at++);
                if (unit >= 0xFF) {
                    return signed(fill(digest, units));
                }
                digest = digest << 8 | unit;
                units++;
            }
            if (units == UNITS) {
                return signed(digest);
            }
            if (i < parts - 1) {
                digest <<= 8;
                units++;
                at = 0;
                if (units == UNITS) {
                    return signed(digest);
                }
            }
        }
        return signed(shift(digest, units));
    }

    /** As {@link #digest(Object, int)}; what is past a prefix comes after everything that has the prefix. */
    static long digest(Bound bound, int skip) {
        String text = bound.text();
        long digest = 0;
        int units = 0;
        for (int at = skip; at < text.length() && units < UNITS; at++) {
            int unit = text.charAt(at);
            if (unit >= 0xFF) {
                return signed(fill(digest, units));
            }
            digest = digest << 8 | unit;
            units++;
        }
        return signed(bound.past() ? fill(digest, units) : shift(digest, units));
    }

    private static long signed(long digest) {
        return digest ^ Long.MIN_VALUE;
    }

    private static long shift(long digest, int units) {
        return units == 0 ? 0 : digest << ((UNITS - units) * 8);
    }

    private static long fill(long digest, int units) {
        return units == UNITS ? digest : shift(digest, units) | (-1L >>> (units * 8));
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
