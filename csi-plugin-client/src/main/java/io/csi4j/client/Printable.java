package io.csi4j.client;

/** Makes text from elsewhere fit to be printed: one line, nothing that a terminal obeys. */
final class Printable {
    private Printable() {}

    /** The same text, with everything that is not plainly visible written as an escape. */
    static String of(String text) {
        int length = text.length();
        int first = 0;
        while (first < length && plain(text.charAt(first))) {
            first++;
        }
        if (first == length) {
            return text;
        }
        StringBuilder out = new StringBuilder(length + 16).append(text, 0, first);
        for (int i = first; i < length; ) {
            int point = text.codePointAt(i);
            append(out, point);
            i += Character.charCount(point);
        }
        return out.toString();
    }

    private static boolean plain(char c) {
        return c >= ' ' && c <= '~';
    }

    private static void append(StringBuilder out, int point) {
        switch (point) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (visible(point)) {
                    out.appendCodePoint(point);
                } else {
                    out.append(String.format("\\u{%x}", point));
                }
            }
        }
    }

    /** Not: controls, and what reorders, joins or hides its neighbours, or has no meaning of its own. */
    private static boolean visible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
