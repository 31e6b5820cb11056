package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The host's name for a CSI plugin, the same on all nodes that run the plugin.
 *
 * @param value the text, for example {@code ebs0}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record PluginId(String value) implements Comparable<PluginId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public PluginId {
        IdText.check("PluginId", "value", value);
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static PluginId of(String value) {
        return new PluginId(value);
    }

    /** Orders the ids by the code units of their texts. */
    @Override
    public int compareTo(PluginId other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the id as text for operators, with escapes for invisible characters. To get the exact id, use
     * {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
