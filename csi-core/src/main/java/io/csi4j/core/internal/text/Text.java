package io.csi4j.core.internal.text;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks texts that will be stored, and escapes texts that will be shown to operators.
 *
 * <p>A stored text has to be valid Unicode: an unpaired surrogate has no UTF-8 encoding and would be read back as
 * another text. A text for operators contains no character that hides or reorders other characters or breaks the line.
 */
public final class Text {
    /** The escape of a slash in the first part of a key. */
    public static final String SLASH = "\\u002F";

    private static final char REPLACEMENT = '\uFFFD';
    private static final Pattern ESCAPE = Pattern.compile("\\\\\\\\|\\\\u[0-9A-F]{4}|\\\\");

    private Text() {}

    /**
     * Checks that a text can be stored.
     *
     * @param field the field for the error message
     * @param text the text, which is never shown
     * @return the same text
     * @throws IllegalArgumentException if the text contains an unpaired surrogate
     */
    public static String checked(String field, String text) {
        Objects.requireNonNull(text, field);
        mustBeStorable(field, "", text);
        return text;
    }

    private static void mustBeStorable(String field, String part, String text) {
        int at = unpairedAt(text);
        if (at >= 0) {
            throw new IllegalArgumentException(field + part + " holds an unpaired surrogate at " + at
                    + ", which cannot be stored; give Unicode text, and cut texts between characters only");
        }
    }

    /**
     * Checks that the texts of a map can be stored.
     *
     * @param field the field for the error message
     * @param entries keys and values, which are never shown
     * @return an unmodifiable copy in the same order
     * @throws IllegalArgumentException if a key or a value contains an unpaired surrogate
     */
    public static Map<String, String> checked(String field, Map<String, String> entries) {
        Map<String, String> copy = new LinkedHashMap<>();
        entries.forEach((key, value) -> {
            if (key == null || value == null) {
                throw new NullPointerException(field + ": a key or a value is null");
            }
            mustBeStorable(field, ": a key", key);
            mustBeStorable(field, ": a value", value);
            copy.put(key, value);
        });
        return Collections.unmodifiableMap(copy);
    }

    /**
     * Checks that the texts of a list can be stored.
     *
     * @param field the field for the error message
     * @param texts the texts, which are never shown
     * @return an unmodifiable copy
     * @throws IllegalArgumentException if a text contains an unpaired surrogate
     */
    public static List<String> checked(String field, List<String> texts) {
        List<String> copy = List.copyOf(texts);
        for (int i = 0; i < copy.size(); i++) {
            checked(field + "[" + i + "]", copy.get(i));
        }
        return copy;
    }

    /**
     * Makes a text from outside csi4j storable: each unpaired surrogate becomes U+FFFD.
     *
     * @param text any text, for example an error message
     * @return the same text if it has no unpaired surrogate
     */
    public static String repaired(String text) {
        int at = unpairedAt(text);
        if (at < 0) {
            return text;
        }
        StringBuilder repaired = new StringBuilder(text);
        while (at >= 0) {
            repaired.setCharAt(at, REPLACEMENT);
            at = unpairedAt(repaired);
        }
        return repaired.toString();
    }

    /** Returns the index of the first unpaired surrogate in a text, or -1 if there is none. */
    public static int unpairedAt(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /**
     * Makes a text readable for operators. Control characters, line breaks, and characters that hide, join or reorder
     * others become escapes, for example {@code \u202E}. Two different texts may become equal, so use the result for
     * display only.
     *
     * @param text any text
     * @return the same text if all of it is visible
     */
    public static String printable(String text) {
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
            int end = i + Character.charCount(point);
            append(out, point, text, i, end);
            i = end;
        }
        return out.toString();
    }

    /**
     * Makes a part of a key readable for operators, as {@link #printable} does. Different parts have different texts,
     * because a backslash is doubled.
     */
    public static String keyPart(String text) {
        return printable(text.replace("\\", "\\\\"));
    }

    /**
     * Returns the part of a key whose text {@link #keyPart} returned.
     *
     * @throws IllegalArgumentException if a backslash begins no escape
     */
    public static String readKeyPart(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        Matcher escapes = ESCAPE.matcher(text);
        int copied = 0;
        while (escapes.find()) {
            out.append(text, copied, escapes.start()).append(unescaped(escapes.group()));
            copied = escapes.end();
        }
        return out.append(text, copied, text.length()).toString();
    }

    private static char unescaped(String escape) {
        if (escape.equals("\\\\")) {
            return '\\';
        }
        if (escape.length() < 2) {
            throw new IllegalArgumentException("a backslash begins no escape; write \\\\ for a backslash");
        }
        return (char) Integer.parseInt(escape.substring(2), 16);
    }

    private static boolean plain(char c) {
        return c >= ' ' && c <= '~';
    }

    private static void append(StringBuilder out, int point, String text, int from, int to) {
        switch (point) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (visible(point)) {
                    out.appendCodePoint(point);
                } else {
                    for (int i = from; i < to; i++) {
                        out.append(String.format("\\u%04X", (int) text.charAt(i)));
                    }
                }
            }
        }
    }

    /**
     * Returns whether a character is visible. Control characters and characters that hide, join or reorder other
     * characters are not visible.
     */
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
