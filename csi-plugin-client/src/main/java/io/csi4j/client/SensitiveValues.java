package io.csi4j.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What of a request must never be shown, and how to take it out of a text that the plugin wrote. Filled
 * once, by one thread, and only after a call has failed.
 *
 * <p>Secrets are taken out wherever they occur, whatever their length, also in the forms in which
 * programs like to print them. Contexts and mount flags are as a rule harmless and often short words, so
 * that those under {@value #SHORT} characters are taken out as whole words only.
 */
final class SensitiveValues {
    static final String HIDDEN = "[hidden]";
    private static final int SHORT = 4;

    private final Set<String> anywhere = new LinkedHashSet<>();
    private final Set<String> asWords = new LinkedHashSet<>();

    private SensitiveValues() {}

    /** A new, empty collection; more may be added. */
    static SensitiveValues none() {
        return new SensitiveValues();
    }

    /** Adds the values of secrets. */
    SensitiveValues secrets(Map<String, String> secrets) {
        for (String secret : secrets.values()) {
            if (!secret.isEmpty()) {
                anywhere.add(secret);
                anywhere.addAll(otherForms(secret));
            }
        }
        return this;
    }

    /** Adds the values of a volume or publish context, or of parameters. */
    SensitiveValues context(Map<String, String> context) {
        context.values().forEach(this::add);
        return this;
    }

    /** Adds mount flags, and what each of them sets. */
    SensitiveValues mountFlags(Collection<String> flags) {
        for (String flag : flags) {
            add(flag);
            int equals = flag.indexOf('=');
            if (equals >= 0) {
                add(flag.substring(equals + 1));
            }
        }
        return this;
    }

    private void add(String value) {
        if (value.length() >= SHORT) {
            anywhere.add(value);
            anywhere.addAll(otherForms(value));
        } else if (!value.isBlank()) {
            asWords.add(value);
        }
    }

    /** Quoted as Go and JSON do, in base64, in hexadecimal, and the lines of a secret that has several. */
    private static List<String> otherForms(String secret) {
        List<String> forms = new ArrayList<>();
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= SHORT) {
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
            forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
            forms.add(HexFormat.of().formatHex(bytes));
            forms.add(HexFormat.of().withUpperCase().formatHex(bytes));
        }
        forms.add(secret.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
                .replace("\t", "\\t"));
        secret.lines().map(String::strip).filter(line -> line.length() >= SHORT).forEach(forms::add);
        return forms;
    }

    /** No value is longer than this, in characters. */
    int longest() {
        int longest = SHORT;
        for (String value : anywhere) {
            longest = Math.max(longest, value.length());
        }
        return longest;
    }

    /** The same text with every sensitive value in it replaced by {@link #HIDDEN}. */
    String scrub(String text) {
        return scrub(text, text.length());
    }

    /** The first {@code length} characters of the text, without any part of a value that reaches beyond them. */
    String scrub(String text, int length) {
        // Marked first and cut out afterwards, so that values that overlap are taken out whole.
        BitSet marked = new BitSet(text.length());
        for (String value : anywhere) {
            for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
                marked.set(at, at + value.length());
            }
        }
        for (String value : asWords) {
            for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
                if (isWord(text, at, at + value.length())) {
                    marked.set(at, at + value.length());
                }
            }
        }
        marked.clear(length, Math.max(length, marked.length()));
        return without(text.substring(0, length), marked);
    }

    private static boolean isWord(String text, int from, int to) {
        return (from == 0 || !Character.isLetterOrDigit(text.charAt(from - 1)))
                && (to == text.length() || !Character.isLetterOrDigit(text.charAt(to)));
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

    /** Tells nothing. */
    @Override
    public String toString() {
        return "SensitiveValues[not shown]";
    }
}
