package io.csi4j.agent.internal.codec;

import io.csi4j.core.csi.Text;

/** Makes texts of the other side safe to show. */
public final class PeerText {
    private static final int MAX = 4_000;

    private PeerText() {}

    /** On one line, without what a terminal obeys, and not too long. */
    public static String plain(String text) {
        String line = Text.shown(text);
        return line.length() <= MAX ? line : line.substring(0, MAX) + "... (cut)";
    }
}
