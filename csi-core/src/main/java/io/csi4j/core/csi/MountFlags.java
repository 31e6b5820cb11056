package io.csi4j.core.csi;

import java.util.List;
import java.util.Set;

/**
 * Options for mounting a file system. A plugin gets them in their order; two values with the same flags in another
 * order, or with one of them repeated, are equal. They may hold credentials, so they are never shown: {@code toString}
 * tells their number only.
 */
public final class MountFlags {
    private static final MountFlags EMPTY = new MountFlags(List.of());

    private final List<String> flags;

    private MountFlags(List<String> flags) {
        this.flags = Text.checked("MountFlags", flags);
    }

    /**
     * The given flags, copied.
     *
     * @param flags one option an element, for example {@code noatime}
     * @return the same flags, immutable
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static MountFlags of(List<String> flags) {
        return flags.isEmpty() ? EMPTY : new MountFlags(flags);
    }

    /**
     * The given flags.
     *
     * @param flags one option an element, for example {@code noatime}
     * @return the same flags, immutable
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static MountFlags of(String... flags) {
        return of(List.of(flags));
    }

    /**
     * No flags.
     *
     * @return the empty value
     */
    public static MountFlags empty() {
        return EMPTY;
    }

    /**
     * The flags themselves. Whoever asks for them must not show them.
     *
     * @return an unmodifiable list
     */
    public List<String> asList() {
        return flags;
    }

    /**
     * Whether there are no flags.
     *
     * @return true if empty
     */
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
