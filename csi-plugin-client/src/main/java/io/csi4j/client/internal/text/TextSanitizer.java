package io.csi4j.client.internal.text;

import io.csi4j.core.internal.text.Text;

/** Makes a text of the plugin safe to show: removes line breaks and sensitive values, and limits the length. */
public final class TextSanitizer {
    public static final int MAX_CHARS = 1_000;

    private TextSanitizer() {}

    public static String clean(String raw, SensitiveValues sensitive) {
        if (raw.length() <= MAX_CHARS) {
            return Text.printable(sensitive.scrub(raw));
        }
        // Searches a little beyond the place of the cut, to find values that the cut would split. Does not search the
        // rest of a long text.
        String start = raw.substring(0, Math.min(raw.length(), MAX_CHARS + sensitive.longest()));
        return Text.printable(sensitive.scrub(start, MAX_CHARS)) + "... (cut; it had " + raw.length() + " characters)";
    }
}
