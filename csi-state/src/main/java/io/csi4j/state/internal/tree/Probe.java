package io.csi4j.state.internal.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key on its way down a tree. It reads the key's text once, and answers from it the digests for each node it
 * comes to: eight units from where the node's keys begin to differ.
 *
 * <p>A unit that does not fit into a byte, and all after it in the same digest, count as 255: digests may become
 * equal then, but never sort wrongly. Keys with such units are rare, and are read anew for each digest.
 */
final class Probe<K> {
    private static final int UNITS = Long.BYTES;
    private static final int WIDE = 0xFF;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    final K key;
    private final KeyOrder<K> order;
    /** All units and at least eight zeros; null if there is a wide one. */
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

    /** Whether all units fit into a byte. */
    boolean isNarrow() {
        return units != null;
    }

    /** Eight units from {@code skip} on, without the last bit: never negative, so two digests can be subtracted. */
    long digest(int skip) {
        return units != null ? (long) LONGS.get(units, skip) >>> 1 : digest(order, key, skip);
    }

    /** Whether a key that shares {@code skip} units and has the same digest is this key: its end is in the digest. */
    boolean isWhole(int skip) {
        return units != null && length - skip < UNITS - 1;
    }

    /** The first units, or null if there are wide ones. */
    byte @Nullable [] prefix(int skip) {
        return units == null ? null : Arrays.copyOf(units, skip);
    }

    /** Whether this narrow key starts with a prefix. */
    boolean startsWith(byte[] prefix) {
        return units != null
                && length >= prefix.length
                && Arrays.mismatch(units, 0, prefix.length, prefix, 0, prefix.length) < 0;
    }

    /** The digest of a key of which nothing else is asked. */
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
            // The joining 0 is in the digest already.
            start += size + 1;
        }
        return digest >>> 1;
    }

    /** The digest of a bound; what is past a prefix comes after everything that has the prefix. */
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
