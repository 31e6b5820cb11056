package io.csi4j.state.internal.hash;

import org.jspecify.annotations.Nullable;

/** Up to 32 slots, of which only the used ones take room: a row, a {@link Collision}, or a deeper branch. */
final class Branch {
    static final int BITS = 5;
    /** The last shift that leaves bits of the hash to choose by. */
    static final int LAST_SHIFT = 30;

    static final Branch EMPTY = new Branch(0, new Object[0]);

    private static final int MASK = (1 << BITS) - 1;

    private final int used;
    private final Object[] slots;

    private Branch(int used, Object[] slots) {
        this.used = used;
        this.slots = slots;
    }

    @Nullable Object slot(int hash, int shift) {
        int bit = bit(hash, shift);
        return (used & bit) == 0 ? null : slots[position(bit)];
    }

    Branch adding(int hash, int shift, Object slot) {
        int bit = bit(hash, shift);
        int position = position(bit);
        Object[] more = new Object[slots.length + 1];
        System.arraycopy(slots, 0, more, 0, position);
        more[position] = slot;
        System.arraycopy(slots, position, more, position + 1, slots.length - position);
        return new Branch(used | bit, more);
    }

    Branch replacing(int hash, int shift, Object slot) {
        Object[] changed = slots.clone();
        changed[position(bit(hash, shift))] = slot;
        return new Branch(used, changed);
    }

    Branch removing(int hash, int shift) {
        int bit = bit(hash, shift);
        int position = position(bit);
        Object[] fewer = new Object[slots.length - 1];
        System.arraycopy(slots, 0, fewer, 0, position);
        System.arraycopy(slots, position + 1, fewer, position, fewer.length - position);
        return new Branch(used & ~bit, fewer);
    }

    boolean isEmpty() {
        return slots.length == 0;
    }

    boolean isOneRow() {
        return slots.length == 1 && !(slots[0] instanceof Branch) && !(slots[0] instanceof Collision);
    }

    Object only() {
        return slots[0];
    }

    private int position(int bit) {
        return Integer.bitCount(used & (bit - 1));
    }

    private static int bit(int hash, int shift) {
        return 1 << ((hash >>> shift) & MASK);
    }
}
