package io.csi4j.core.csi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Texts that are stored, and texts that operators read.
 *
 * <p>A stored text has to be Unicode: half a pair of surrogates has no UTF-8, so it would be read back as another text.
 * A shown text holds nothing that hides, reorders or breaks the line.
 */
public final class Text {
    private static final char REPLACEMENT = '\uFFFD';

    private Text() {}

    /**
     * A text that can be stored and read back.
     *
     * @param field what the error names
     * @param text any text; it is never shown
     * @return the same text
     * @throws IllegalArgumentException if it holds an unpaired surrogate
     */
    public static String checked(String field, String text) {
        Objects.requireNonNull(text, field);
        int at = unpairedAt(text);
        if (at >= 0) {
            throw new IllegalArgumentException(field + " holds an unpaired surrogate at " + at
                    + ", which cannot be stored; give Unicode text, and cut texts between characters only");
        }
        return text;
    }

    /**
     * An unmodifiable copy of a map that can be stored and read back, in the order given.
     *
     * @param field what the error names
     * @param entries keys and values; they are never shown
     * @return the same entries
     * @throws IllegalArgumentException if a key or a value holds an unpaired surrogate
     */
    public static Map<String, String> checked(String field, Map<String, String> entries) {
        Map<String, String> copy = new LinkedHashMap<>();
        entries.forEach((key, value) -> {
            if (key == null || value == null) {
                throw new NullPointerException(field + ": a key or a value is null");
            }
            copy.put(checked(field + ": a key", key), checked(field + ": a value", value));
        });
        return Collections.unmodifiableMap(copy);
    }

    /**
     * An unmodifiable copy of a list that can be stored and read back.
     *
     * @param field what the error names
     * @param texts any texts; they are never shown
     * @return the same texts
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static List<String> checked(String field, List<String> texts) {
        List<String> copy = List.copyOf(texts);
        for (int i = 0; i < copy.size(); i++) {
            checked(field + "[" + i + "]", copy.get(i));
        }
        return copy;
    }

    /**
     * A text from elsewhere, made fit to be stored: each unpaired surrogate becomes U+FFFD.
     *
     * @param text any text, for example of an error
     * @return the same text if there is none
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

    /**
     * Where a text is not Unicode.
     *
     * @param text any text
     * @return the index of the first surrogate without its other half, or -1
     */
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
     * A text as operators read it: one line, without anything that a terminal obeys or that hides, joins or reorders
     * its neighbours. Such characters are written as escapes, for example {@code \u202E}. Not for data: two texts may
     * be shown alike.
     *
     * @param text any text
     * @return the same text if all of it is visible
     */
    public static String shown(String text) {
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
