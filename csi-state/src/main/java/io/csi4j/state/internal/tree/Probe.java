package io.csi4j.state.internal.tree;

/**
 * A key on its way down a tree. It reads the key's text once, sixteen units from where the keys of the upper
 * node begin to differ, and makes from them the digests for the nodes below.
 *
 * <p>A unit that does not fit into a byte, and all after it, count as 255: digests may become equal then, but never sort wrongly.
 */
final class Probe<K> {
    private static final int UNITS = Long.BYTES;
    private static final int WIDE = 0xFF;

    final K key;
    private final KeyOrder<K> order;
    private int base = -1;
    private int end;
    private long high;
    private long low;
    private int length;

    Probe(KeyOrder<K> order, K key) {
        this.order = order;
        this.key = key;
    }

    /** Eight units from {@code skip} on, without the last bit: never negative, so two digests can be subtracted. */
    long digest(int skip) {
        int shift = skip - base;
        if (base < 0 || shift < 0 || shift > UNITS || skip > end) {
            load(skip);
            shift = 0;
        }
        long units = shift == 0 ? high : shift == UNITS ? low : (high << (8 * shift)) | (low >>> (64 - 8 * shift));
        return units >>> 1;
    }

    /** Whether a key that shares {@code skip} units and has the same digest is this key: its end is in the digest. */
    boolean isWhole(int skip) {
        return length - skip < UNITS - 1 && end >= length && order.endShows();
    }

    private void load(int skip) {
        base = skip;
        high = 0;
        low = 0;
        length = 0;
        end = Integer.MAX_VALUE;
        int parts = order.parts();
        int filled = 0;
        for (int i = 0; i < parts; i++) {
            String part = order.part(key, i);
            int size = part.length();
            int start = skip - length;
            if (start <= size) {
                filled = append(part, Math.max(start, 0), filled);
                if (i < parts - 1) {
                    // The joining 0; the array is zero already.
                    filled++;
                }
            }
            length += size + 1;
        }
        length--;
    }

    private int append(String part, int from, int to) {
        int size = part.length();
        int filled = to;
        for (int at = from; at < size && filled < 2 * UNITS && end == Integer.MAX_VALUE; at++, filled++) {
            int unit = part.charAt(at);
            if (unit >= WIDE) {
                end = base + filled;
                if (filled < UNITS) {
                    high |= -1L >>> (8 * filled);
                    low = -1L;
                } else {
                    low |= -1L >>> (8 * (filled - UNITS));
                }
            } else if (filled < UNITS) {
                high |= (long) unit << (56 - 8 * filled);
            } else {
                low |= (long) unit << (56 - 8 * (filled - UNITS));
            }
        }
        return filled;
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
