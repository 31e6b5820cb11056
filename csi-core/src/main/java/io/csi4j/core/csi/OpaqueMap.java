package io.csi4j.core.csi;

import java.util.Map;

/** A map that is passed on and never shown. Equal only to a map of the same kind. */
abstract sealed class OpaqueMap permits Secrets, VolumeContext, PublishContext {
    private final Map<String, String> entries;

    OpaqueMap(Map<String, String> entries) {
        // Insertion order is kept: repeats of a request are then identical to the byte (R29).
        this.entries = Text.checked(getClass().getSimpleName(), entries);
    }

    /**
     * The entries themselves. Whoever asks for them must not show them.
     *
     * @return an unmodifiable map
     */
    public final Map<String, String> asMap() {
        return entries;
    }

    /**
     * Whether there are no entries.
     *
     * @return true if empty
     */
    public final boolean isEmpty() {
        return entries.isEmpty();
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof OpaqueMap that && that.getClass() == getClass() && that.entries.equals(entries);
    }

    @Override
    public final int hashCode() {
        return entries.hashCode();
    }

    /** Tells how many entries there are, and nothing else. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + entries.size() + " not shown]";
    }
}
