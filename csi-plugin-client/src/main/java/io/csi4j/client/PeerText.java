package io.csi4j.client;

/**
 * Text that came from the other side, made fit for an operator's eyes: without the sensitive values of
 * the request, on one line, and not too long.
 */
final class PeerText {
    static final int MAX_CHARS = 1_000;

    private PeerText() {}

    static String clean(String raw, SensitiveValues sensitive) {
        // Cut once before scrubbing, so that a text of a megabyte costs nothing, and far enough behind
        // the final cut that no part of a value is left at its edge.
        int enough = MAX_CHARS + sensitive.longest();
        String text = sensitive.scrub(raw.length() > enough ? raw.substring(0, enough) : raw);
        boolean cut = text.length() > MAX_CHARS || raw.length() > enough;
        String shown = Printable.of(text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) : text);
        return cut ? shown + "... (cut; it had " + raw.length() + " characters)" : shown;
    }
}
