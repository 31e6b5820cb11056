package io.csi4j.state.internal.hash;

import org.jspecify.annotations.Nullable;

/**
 * A node with up to 32 slots. A slot holds a row, a {@link Collision} or a deeper branch; unused slots need no memory. Only the edit that created a branch changes it.
 */
final class Branch {
    static final int BITS = 5;
    /** The shift of the deepest level; further levels would have no bits of the hash left. */
    static final int LAST_SHIFT = 30;

    static final Branch EMPTY = new Branch(0, new Object[0], 0);

    private static final int MASK = (1 << BITS) - 1;

    private int used;
    private Object[] slots;
    private final long edit;

    private Branch(int used, Object[] slots, long edit) {
        this.used = used;
        this.slots = slots;
        this.edit = edit;
    }

    @Nullable Object slot(int hash, int shift) {
        int bit = bit(hash, shift);
        return (used & bit) == 0 ? null : slots[position(bit)];
    }

    Branch adding(int hash, int shift, Object slot, long by) {
        int bit = bit(hash, shift);
        int position = position(bit);
        Object[] more = new Object[slots.length + 1];
        System.arraycopy(slots, 0, more, 0, position);
        more[position] = slot;
        System.arraycopy(slots, position, more, position + 1, slots.length - position);
        return with(used | bit, more, by);
    }

    Branch replacing(int hash, int shift, Object slot, long by) {
        int position = position(bit(hash, shift));
        if (isOf(by)) {
            slots[position] = slot;
            return this;
        }
        Object[] changed = slots.clone();
        changed[position] = slot;
        return new Branch(used, changed, by);
    }

    Branch removing(int hash, int shift, long by) {
        int bit = bit(hash, shift);
        int position = position(bit);
        Object[] fewer = new Object[slots.length - 1];
        System.arraycopy(slots, 0, fewer, 0, position);
        System.arraycopy(slots, position + 1, fewer, position, fewer.length - position);
        return with(used & ~bit, fewer, by);
    }

    /** Returns this branch with the given slots if the edit created it, or else a copy that belongs to the edit. */
    private Branch with(int otherUsed, Object[] otherSlots, long by) {
        if (!isOf(by)) {
            return new Branch(otherUsed, otherSlots, by);
        }
        used = otherUsed;
        slots = otherSlots;
        return this;
    }

    private boolean isOf(long by) {
        return edit == by && by != 0;
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
