package io.csi4j.client.internal.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sensitive values of a plugin's requests and responses; removes these values from the plugin's texts. Used by one thread.
 *
 * <p>A value of at least {@value #LONG} characters is hidden wherever it occurs, in upper and lower case, and as a whole also in base64, in hexadecimal, and in quoted form. A shorter value is
 * hidden as a whole token only, not inside a word or a number. The caller's own ids stay visible.
 */
public final class SensitiveValues {
    public static final String HIDDEN = "[hidden]";
    static final int LONG = 8;
    private static final int MIN_BYTES_IN_OTHER_FORMS = 4;

    private final Set<String> raw = new LinkedHashSet<>();
    // The following three sets hold texts in lower case. The sets "anywhere" and "asTokens" are filled from "raw"
    // before
    // a text is scrubbed.
    private final Set<String> anywhere = new LinkedHashSet<>();
    private final Set<String> asTokens = new LinkedHashSet<>();
    private final Set<String> ids = new LinkedHashSet<>();
    private @Nullable KnownSecrets others;
    private boolean everything;

    private SensitiveValues() {}

    /** Returns a new, empty collection. */
    public static SensitiveValues none() {
        return new SensitiveValues();
    }

    /** Keeps an id of the caller visible where the id is a whole token of a text. */
    public SensitiveValues id(String id) {
        if (!id.isBlank()) {
            ids.add(folded(id));
        }
        return this;
    }

    /** Adds a sensitive value; a blank one has no effect. */
    public SensitiveValues add(String value) {
        if (!value.isBlank()) {
            raw.add(value);
        }
        return this;
    }

    /** Adds the secrets of other volumes. */
    public SensitiveValues and(KnownSecrets secrets) {
        others = secrets;
        return this;
    }

    /** Makes {@link #scrub} hide every text as a whole, not only the sensitive values in it. */
    public SensitiveValues all() {
        everything = true;
        return this;
    }

    private void forms() {
        for (String value : raw) {
            put(value);
            otherForms(value).forEach(this::put);
        }
    }

    /** Returns the forms of a value that are hidden wherever they occur, in lower case. */
    static Set<String> longForms(String value) {
        Set<String> forms = new LinkedHashSet<>();
        Stream.concat(Stream.of(value), otherForms(value).stream())
                .filter(form -> form.length() >= LONG)
                .forEach(form -> forms.add(folded(form)));
        return forms;
    }

    private void put(String form) {
        (form.length() < LONG ? asTokens : anywhere).add(folded(form));
    }

    /**
     * Returns the other forms in which a plugin may print a value: quoted as in Go or JSON, in base64, in hexadecimal, and each line of the
     * value alone.
     */
    private static List<String> otherForms(String value) {
        List<String> forms = new ArrayList<>();
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= MIN_BYTES_IN_OTHER_FORMS) {
            // Adds the value in Base64 without padding, which is also found in a text that has the value with padding.
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
            forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
            forms.add(HexFormat.of().formatHex(bytes));
        }
        forms.add(value.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
                .replace("\t", "\\t"));
        value.lines().map(String::strip).filter(line -> line.length() >= LONG).forEach(forms::add);
        return forms;
    }

    /** Returns the text in lower case. Its length stays the same, so that positions in both texts match. */
    private static String folded(String text) {
        StringBuilder folded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            folded.append(Character.toLowerCase(Character.toUpperCase(text.charAt(i))));
        }
        return folded.toString();
    }

    /** Returns the length of the longest sensitive value, in characters. */
    public int longest() {
        forms();
        int longest = others == null ? LONG : others.longest();
        for (String value : anywhere) {
            longest = Math.max(longest, value.length());
        }
        return longest;
    }

    /** Returns the text with every sensitive value replaced by {@link #HIDDEN}. */
    public String scrub(String text) {
        return scrub(text, text.length());
    }

    /** Returns the first {@code length} characters of the text, without any part of a sensitive value that extends beyond them. */
    public String scrub(String text, int length) {
        if (everything && !text.isEmpty()) {
            return HIDDEN;
        }
        forms();
        String folded = folded(text);
        BitSet[] inIds = new BitSet[ids.size()];
        int known = 0;
        for (String id : ids) {
            BitSet where = new BitSet(text.length());
            each(folded, id, true, where::set);
            inIds[known++] = where;
        }
        // Marks all values before it removes them, so that overlapping values are removed completely.
        BitSet marked = new BitSet(text.length());
        Range mark = (from, to) -> {
            for (BitSet where : inIds) {
                if (where.nextClearBit(from) >= to) {
                    return;
                }
            }
            marked.set(from, to);
        };
        anywhere.forEach(value -> each(folded, value, false, mark));
        asTokens.forEach(value -> each(folded, value, true, mark));
        if (others != null) {
            others.find(folded, mark);
        }
        marked.clear(length, Math.max(length, marked.length()));
        return without(text.substring(0, length), marked);
    }

    /** Receives the start and the end of each match in a text. */
    interface Range {
        void at(int from, int to);
    }

    private static void each(String text, String value, boolean token, Range found) {
        for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
            int end = at + value.length();
            boolean inside = joined(text, at - 1, -1, text.charAt(at)) || joined(text, end, 1, text.charAt(end - 1));
            if (!(token && inside)) {
                found.at(at, end);
            }
        }
    }

    /**
     * Returns whether a match is only a part of a word or number, which continues at the position {@code neighbour}.
     */
    private static boolean joined(String text, int neighbour, int step, char edge) {
        if (neighbour < 0 || neighbour >= text.length() || !isInWord(edge)) {
            return false;
        }
        char next = text.charAt(neighbour);
        int beyond = neighbour + step;
        boolean inNumber = next == '.'
                && Character.isDigit(edge)
                && beyond >= 0
                && beyond < text.length()
                && Character.isDigit(text.charAt(beyond));
        return isInWord(next) || inNumber;
    }

    private static boolean isInWord(char sign) {
        return Character.isLetterOrDigit(sign) || sign == '_';
    }

    private static String without(String text, BitSet marked) {
        StringBuilder out = new StringBuilder(text.length());
        int kept = 0;
        for (int from = marked.nextSetBit(0); from >= 0; from = marked.nextSetBit(kept)) {
            out.append(text, kept, from).append(HIDDEN);
            kept = marked.nextClearBit(from);
        }
        return out.append(text, kept, text.length()).toString();
    }

    /** Returns a text without the sensitive values. */
    @Override
    public String toString() {
        return "SensitiveValues[not shown]";
    }
}
