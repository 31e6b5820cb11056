package io.csi4j.state.internal.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key during a search. It reads the key's text once and derives the digest for each visited node: eight units from the position
 * where the keys of the node begin to differ.
 *
 * <p>A unit above 255, and all units after it in the same digest, count as 255. Digests may then be equal, but never contradict the
 * order. Keys with such units are rare; their text is read again for each digest.
 */
final class Probe<K> {
    private static final int UNITS = Long.BYTES;
    private static final int WIDE = 0xFF;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    final K key;
    private final KeyOrder<K> order;
    /** All units, followed by at least eight zeros; null if a unit does not fit into a byte. */
    private final byte @Nullable [] units;

    private int length;

    Probe(KeyOrder<K> order, K key) {
        this.order = order;
        this.key = key;
        this.units = units();
    }

    private byte @Nullable [] units() {
        int parts = order.parts();
        int size = parts - 1 + UNITS;
        for (int i = 0; i < parts; i++) {
            size += order.part(key, i).length();
        }
        byte[] read = new byte[size];
        int end = 0;
        for (int i = 0; i < parts; i++) {
            String part = order.part(key, i);
            int partEnd = part.length();
            int all = 0;
            for (int at = 0; at < partEnd; at++) {
                int unit = part.charAt(at);
                all |= unit + 1;
                read[end + at] = (byte) unit;
            }
            if (all > WIDE) {
                return null;
            }
            end += partEnd + 1;
        }
        length = end - 1;
        return read;
    }

    /** Returns whether all units fit into a byte. */
    boolean isNarrow() {
        return units != null;
    }

    /**
     * Returns eight units from {@code skip} on, without the last bit, so that the difference of two digests does not overflow.
     */
    long digest(int skip) {
        return units != null ? (long) LONGS.get(units, skip) >>> 1 : digest(order, key, skip);
    }

    /** Returns whether a key with the same first {@code skip} units and the same digest is equal to this key. */
    boolean isWhole(int skip) {
        return units != null && length - skip < UNITS - 1;
    }

    /** Returns the first units, or null if one of them does not fit into a byte. */
    byte @Nullable [] prefix(int skip) {
        return units == null ? null : Arrays.copyOf(units, skip);
    }

    /** Returns whether this key starts with a prefix; all its units fit into a byte. */
    boolean startsWith(byte[] prefix) {
        return units != null
                && length >= prefix.length
                && Arrays.mismatch(units, 0, prefix.length, prefix, 0, prefix.length) < 0;
    }

    /** Returns a single digest of a key, without creating a probe. */
    static <K> long digest(KeyOrder<K> order, K key, int skip) {
        long digest = 0;
        int parts = order.parts();
        int start = 0;
        for (int i = 0; i < parts && start < skip + UNITS; i++) {
            String part = order.part(key, i);
            int size = part.length();
            int end = Math.min(size, skip + UNITS - start);
            for (int at = Math.max(skip - start, 0); at < end; at++) {
                int unit = part.charAt(at);
                int filled = start + at - skip;
                if (unit >= WIDE) {
                    return (digest | (-1L >>> (8 * filled))) >>> 1;
                }
                digest |= (long) unit << (56 - 8 * filled);
            }
            // The separator 0 is already part of the digest.
            start += size + 1;
        }
        return digest >>> 1;
    }

    /** Returns the digest of a bound; a bound past a prefix is greater than all keys with that prefix. */
    static long digest(Bound bound, int skip) {
        String text = bound.text();
        long digest = 0;
        int at = skip;
        int filled = 0;
        for (; at < text.length() && filled < UNITS; at++, filled++) {
            int unit = text.charAt(at);
            if (unit >= WIDE) {
                return (digest | (-1L >>> (8 * filled))) >>> 1;
            }
            digest |= (long) unit << (56 - 8 * filled);
        }
        return (bound.past() && filled < UNITS ? digest | (-1L >>> (8 * filled)) : digest) >>> 1;
    }
}
