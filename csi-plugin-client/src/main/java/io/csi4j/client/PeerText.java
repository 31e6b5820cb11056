package io.csi4j.client;

/**
 * Text that came from the other side, made fit for an operator's eyes: without the sensitive values of
 * the request, on one line, and not too long.
 */
final class PeerText {
    static final int MAX_CHARS = 1_000;

    private PeerText() {}

    static String clean(String raw, SensitiveValues sensitive) {
        // So much is looked at that a value which begins before the cut is seen whole, and no more, so that
        // a text of a megabyte costs nothing. The cut is by place in the raw text: what is behind it, where
        // a value may have been cut in two, never moves forward.
        int enough = MAX_CHARS + sensitive.longest();
        String shown = Printable.of(sensitive.scrub(raw.length() > enough ? raw.substring(0, enough) : raw, MAX_CHARS));
        return raw.length() > MAX_CHARS ? shown + "... (cut; it had " + raw.length() + " characters)" : shown;
    }
}
