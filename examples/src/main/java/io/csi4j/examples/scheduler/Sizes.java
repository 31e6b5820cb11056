package io.csi4j.examples.scheduler;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads sizes like {@code 64Mi}. */
final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})(|Ki|Mi|Gi|Ti)");
    private static final Map<String, Integer> BITS = Map.of("", 0, "Ki", 10, "Mi", 20, "Gi", 30, "Ti", 40);

    private Sizes() {}

    /** Returns the number of bytes; at least 1. */
    static long bytes(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches() || Long.parseLong(size.group(1)) == 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size like 64Mi, with Ki, Mi, Gi, Ti or no unit");
        }
        return Long.parseLong(size.group(1)) << BITS.getOrDefault(size.group(2), 0);
    }
}
