package io.csi4j.state.internal.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key during a search. The text of the key is read once, and a digest is computed for each visited node: eight code units from the
 * position where the keys of the node begin to differ.
 *
 * <p>In a digest, a code unit above 255 and all units after it count as 255. Such digests may be equal for different keys, but never
 * contradict the order of the keys. Keys with such units are rare; their text is read again for each digest.
 */
final class Probe<K> {
    private static final int UNITS = Long.BYTES;
    private static final int WIDE = 0xFF;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    final K key;
    private final KeyOrder<K> order;
    /** All code units of the key, one in each byte, followed by at least eight zeros; null if a code unit does not fit into a byte. */
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

    /** Returns whether each code unit of the key fits into one byte. */
    boolean isNarrow() {
        return units != null;
    }

    /**
     * Returns eight bytes of the key from {@code skip} on as a number, without the last bit, so that the difference of two digests does
     * not overflow.
     */
    long digest(int skip) {
        return units != null ? (long) LONGS.get(units, skip) >>> 1 : digest(order, key, skip);
    }

    /**
     * Returns whether a digest holds all code units of this key after the first {@code skip}. A key with the same first
     * {@code skip} code units and the same digest is then equal to this key.
     */
    boolean isWhole(int skip) {
        return units != null && length - skip < UNITS - 1;
    }

    /**
     * Returns the first code units of this key, one in each byte; null if a code unit of the key does not fit into a
     * byte.
     *
     * @param skip the number of code units to return
     */
    byte @Nullable [] prefix(int skip) {
        return units == null ? null : Arrays.copyOf(units, skip);
    }

    /** Returns whether this key, whose code units all fit into a byte, starts with a prefix. */
    boolean startsWith(byte[] prefix) {
        return units != null
                && length >= prefix.length
                && Arrays.mismatch(units, 0, prefix.length, prefix, 0, prefix.length) < 0;
    }

    /**
     * Returns the digest of a key, without creating a probe.
     *
     * @param skip the number of code units at the start of the key that the digest leaves out
     */
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
            // Skips the separator 0 after the part; the digest has a 0 at this place already.
            start += size + 1;
        }
        return digest >>> 1;
    }

    /** Returns the digest of a bound. The digest of a bound past a prefix is not smaller than those of all keys with this prefix. */
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
