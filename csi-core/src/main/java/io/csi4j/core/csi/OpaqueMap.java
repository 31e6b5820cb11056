package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;
import java.util.Map;

/**
 * A map that csi4j passes on unchanged, and whose entries appear in no message or log. It equals only maps of the same
 * class with the same entries.
 */
abstract sealed class OpaqueMap permits Secrets, VolumeContext, PublishContext {
    private final Map<String, String> entries;

    OpaqueMap(Map<String, String> entries) {
        // The copied map keeps the order of insertion, so that each retry of a request has identical bytes (R29).
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

    /** Returns a text that shows the number of entries, but not the entries. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + entries.size() + " not shown]";
    }
}
