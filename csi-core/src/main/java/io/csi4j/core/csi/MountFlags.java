package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;
import java.util.List;
import java.util.Set;

/**
 * Options for mounting a file system. A plugin gets the flags in the given order. Two objects are equal if they contain
 * the same flags; the order and repeated flags do not matter. The flags may contain credentials, so {@code toString}
 * shows only the number of flags.
 */
public final class MountFlags {
    private static final MountFlags EMPTY = new MountFlags(List.of());

    private final List<String> flags;

    private MountFlags(List<String> flags) {
        this.flags = Text.checked("MountFlags", flags);
    }

    /**
     * Returns an object with the given flags.
     *
     * @param flags one option per element, for example {@code noatime}
     * @throws IllegalArgumentException if a flag contains an unpaired surrogate
     */
    public static MountFlags of(List<String> flags) {
        return flags.isEmpty() ? EMPTY : new MountFlags(flags);
    }

    /**
     * Returns an object with the given flags.
     *
     * @param flags one option per element, for example {@code noatime}
     * @throws IllegalArgumentException if a flag contains an unpaired surrogate
     */
    public static MountFlags of(String... flags) {
        return of(List.of(flags));
    }

    /** Returns an object without flags. */
    public static MountFlags empty() {
        return EMPTY;
    }

    /** Returns the flags as an unmodifiable list. Flags may contain credentials, so the caller must not show them. */
    public List<String> asList() {
        return flags;
    }

    public boolean isEmpty() {
        return flags.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MountFlags that && Set.copyOf(that.flags).equals(Set.copyOf(flags));
    }

    @Override
    public int hashCode() {
        return Set.copyOf(flags).hashCode();
    }

    @Override
    public String toString() {
        return "MountFlags[" + flags.size() + " not shown]";
    }
}
