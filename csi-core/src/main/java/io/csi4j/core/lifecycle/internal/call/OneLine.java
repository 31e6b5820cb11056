package io.csi4j.core.lifecycle.internal.call;

/** Makes a text of a plugin fit for one line of a log or a page. */
public final class OneLine {
    /** The longest text, in characters. */
    static final int MAX = 600;

    private static final String CUT = "... (cut)";

    private OneLine() {}

    /**
     * Returns the text in one line of at most {@value #MAX} characters. Line breaks, other control characters, and
     * characters that change the direction of a text become spaces.
     */
    public static String of(String text) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), MAX));
        boolean space = false;
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            i += Character.charCount(character);
            if (invisible(character)) {
                space = true;
                continue;
            }
            if (space && line.length() > 0) {
                line.append(' ');
            }
            space = false;
            if (line.length() + Character.charCount(character) > MAX - CUT.length()) {
                return line.append(CUT).toString();
            }
            line.appendCodePoint(character);
        }
        return line.toString();
    }

    private static boolean invisible(int character) {
        int type = Character.getType(character);
        return Character.isWhitespace(character)
                || Character.isISOControl(character)
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE
                || Character.isSpaceChar(character);
    }
}
