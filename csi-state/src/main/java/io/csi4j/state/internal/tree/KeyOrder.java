package io.csi4j.state.internal.tree;

/**
 * The order of keys: the parts of a key, joined by the character 0, are compared by UTF-16 code unit. No part may contain that
 * character.
 *
 * <p>Most comparisons inside a node use digests: up to eight units in one {@code long}. A key with a smaller digest is always the smaller
 * key; different keys may have equal digests.
 *
 * @param <K> the key
 */
public abstract class KeyOrder<K> {
    protected KeyOrder() {}

    /** Returns the number of parts of a key; at least 1, and the same for all keys. */
    public abstract int parts();

    /**
     * Returns one part of a key.
     *
     * @param index from 0
     */
    public abstract String part(K key, int index);

    /** Returns the parts of the key, joined by the character 0. Bounds and page tokens contain this text. */
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

    @SuppressWarnings("ReferenceEquality") // The same key object needs no comparison of its parts.
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

    /** Returns the number of leading UTF-16 code units that both keys have in common. */
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

    /**
     * Returns whether both keys begin with the same {@code units} code units. The right key must have at least
     * {@code units} code units.
     */
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

    /** Returns the digest of the code units of a key from position {@code skip} on. */
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

    /**
     * Returns whether two parts are the same object, which is a fast check because most keys share the objects of namespaces and plugin
     * ids.
     */
    @SuppressWarnings("ReferenceEquality")
    private static boolean sameObject(String a, String b) {
        return a == b;
    }
}
