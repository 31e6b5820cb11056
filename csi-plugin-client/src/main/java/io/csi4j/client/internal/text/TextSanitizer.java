package io.csi4j.client.internal.text;

import io.csi4j.core.csi.Text;

/**
 * Text that came from the other side, made fit for an operator's eyes: without the sensitive values of
 * the request, on one line, and not too long.
 */
public final class TextSanitizer {
    public static final int MAX_CHARS = 1_000;

    private TextSanitizer() {}

    public static String clean(String raw, SensitiveValues sensitive) {
        if (raw.length() <= MAX_CHARS) {
            return Text.shown(sensitive.scrub(raw));
        }
        // Looking just behind the cut finds the values that it would cut in two, without reading a megabyte.
        String start = raw.substring(0, Math.min(raw.length(), MAX_CHARS + sensitive.longest()));
        return Text.shown(sensitive.scrub(start, MAX_CHARS)) + "... (cut; it had " + raw.length() + " characters)";
    }
}
