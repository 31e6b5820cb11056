package io.csi4j.core.csi;

import java.util.Map;

/** A map that is passed on and never shown. Equal only to a map of the same class. */
abstract sealed class OpaqueMap permits Secrets, VolumeContext, PublishContext {
    private final Map<String, String> entries;

    OpaqueMap(Map<String, String> entries) {
        // Keeps the insertion order, so that repeated requests are identical to the byte (R29).
        this.entries = Text.checked(getClass().getSimpleName(), entries);
    }

    /** Returns the entries as an unmodifiable map. The caller must not show them. */
    public final Map<String, String> asMap() {
        return entries;
    }

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

    /** Returns the number of entries only. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + entries.size() + " not shown]";
    }
}
