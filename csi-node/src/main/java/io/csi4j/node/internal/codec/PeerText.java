package io.csi4j.node.internal.codec;

import io.csi4j.core.internal.text.Text;

/** Makes texts that a peer sent safe to show. */
public final class PeerText {
    private static final int MAX = 4_000;

    private PeerText() {}

    /** Returns the text on one line, without control characters, and limited in length. */
    public static String plain(String text) {
        String line = Text.printable(text);
        return line.length() <= MAX ? line : line.substring(0, MAX) + "... (cut)";
    }
}
