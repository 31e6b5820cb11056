package io.csi4j.shell;

import java.util.Locale;

/** Texts of a server on a terminal. */
final class Text {
    private Text() {}

    /**
     * Returns a text without characters that a terminal obeys or that change the order of others: control characters, escape
     * sequences and directions of writing are replaced by a question mark, line breaks and tabs by a space.
     */
    static String safe(String text) {
        if (text.codePoints().noneMatch(Text::isUnsafe)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c == '\n' || c == '\t' || c == '\r' ? ' ' : isUnsafe(c) ? '?' : c)
                .forEach(safe::appendCodePoint);
        return safe.toString();
    }

    /** Returns JSON in which each unsafe character is written as an escape: a backslash, the letter u and four digits. */
    static String safeJson(String json) {
        if (json.codePoints().noneMatch(Text::isUnsafe)) {
            return json;
        }
        StringBuilder safe = new StringBuilder(json.length());
        json.chars().forEach(c -> {
            if (c != '\n' && isUnsafe(c)) {
                safe.append(String.format("\\u%04x", c));
            } else {
                safe.append((char) c);
            }
        });
        return safe.toString();
    }

    private static boolean isUnsafe(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    /** Returns the number of columns of a terminal that a text takes. */
    static int width(String text) {
        return text.codePoints().map(Text::width).sum();
    }

    private static int width(int c) {
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        boolean wide = isIn(c, 0x1100, 0x115f)
                || isIn(c, 0x2e80, 0xa4cf)
                || isIn(c, 0xac00, 0xd7a3)
                || isIn(c, 0xf900, 0xfaff)
                || isIn(c, 0xfe30, 0xfe6f)
                || isIn(c, 0xff00, 0xff60)
                || isIn(c, 0x1f300, 0x1faff)
                || isIn(c, 0x20000, 0x3fffd);
        return wide ? 2 : 1;
    }

    private static boolean isIn(int c, int first, int last) {
        return c >= first && c <= last;
    }

    /** Returns a text of at most a number of columns; a cut one ends with an ellipsis. */
    static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        StringBuilder cut = new StringBuilder();
        int used = 1;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            used += width(text.codePointAt(i));
            if (used > columns) {
                break;
            }
            cut.appendCodePoint(text.codePointAt(i));
        }
        return cut + "…";
    }

    /** Returns a text with spaces up to a number of columns. */
    static String pad(String text, int columns, boolean right) {
        String spaces = " ".repeat(Math.max(0, columns - width(text)));
        return right ? spaces + text : text + spaces;
    }

    /** Splits a name of JSON into words: {@code capacityBytes} becomes {@code capacity bytes}. */
    static String words(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }

    static String title(String name) {
        String words = words(name);
        return words.isEmpty() ? words : Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
