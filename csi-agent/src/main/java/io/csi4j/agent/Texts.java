package io.csi4j.agent;

import io.csi4j.core.csi.Text;

/** Texts of the other side. */
final class Texts {
    private static final int MAX = 4_000;

    private Texts() {}

    /** On one line, without what a terminal obeys, and not too long. */
    static String plain(String text) {
        String line = Text.shown(text);
        return line.length() <= MAX ? line : line.substring(0, MAX) + "... (cut)";
    }
}
