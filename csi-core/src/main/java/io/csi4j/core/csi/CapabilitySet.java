package io.csi4j.core.csi;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The capabilities that a plugin reports. The plugin may be newer than this version of csi4j, so a capability number
 * without a name is kept and causes no error.
 *
 * @param <E> the enum of the capabilities
 */
public final class CapabilitySet<E extends Enum<E> & WireEnum> {
    private final Set<E> known;
    private final SortedSet<Integer> unknownNumbers;

    private CapabilitySet(Set<E> known, SortedSet<Integer> unknownNumbers) {
        this.known = known;
        this.unknownNumbers = unknownNumbers;
    }

    /**
     * Returns a set that has exactly the given capabilities.
     *
     * @param type the class of the enum
     * @param <E> the enum of the capabilities
     */
    public static <E extends Enum<E> & WireEnum> CapabilitySet<E> of(Class<E> type, Collection<E> capabilities) {
        EnumSet<E> known = EnumSet.noneOf(type);
        known.addAll(capabilities);
        return new CapabilitySet<>(Collections.unmodifiableSet(known), Collections.emptySortedSet());
    }

    /**
     * Returns the capabilities with the given numbers. The number 0 ("unknown") is skipped; every other number that the
     * enum does not have is kept in {@link #unknownNumbers()}.
     *
     * @param type the class of the enum
     * @param numbers the numbers in the plugin's response
     * @param <E> the enum of the capabilities
     */
    public static <E extends Enum<E> & WireEnum> CapabilitySet<E> fromNumbers(
            Class<E> type, Collection<Integer> numbers) {
        EnumSet<E> known = EnumSet.noneOf(type);
        TreeSet<Integer> unknown = new TreeSet<>(numbers);
        unknown.remove(0);
        for (E capability : EnumSet.allOf(type)) {
            if (unknown.remove(capability.number())) {
                known.add(capability);
            }
        }
        return new CapabilitySet<>(Collections.unmodifiableSet(known), Collections.unmodifiableSortedSet(unknown));
    }

    /** Returns whether the plugin reports the capability. */
    public boolean has(E capability) {
        return known.contains(Objects.requireNonNull(capability, "capability"));
    }

    /** Returns the capabilities that this version of csi4j knows, as an unmodifiable set. */
    public Set<E> known() {
        return known;
    }

    /**
     * Returns the numbers of the reported capabilities that this version of csi4j does not know, as an unmodifiable
     * ascending set.
     */
    public SortedSet<Integer> unknownNumbers() {
        return unknownNumbers;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CapabilitySet<?> set
                && known.equals(set.known)
                && unknownNumbers.equals(set.unknownNumbers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(known, unknownNumbers);
    }

    @Override
    public String toString() {
        return unknownNumbers.isEmpty() ? known.toString() : known + " and unknown " + unknownNumbers;
    }
}
