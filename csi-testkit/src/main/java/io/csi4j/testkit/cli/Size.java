package io.csi4j.testkit.cli;

import java.util.Locale;
import java.util.Map;

/** Parses sizes as people write them: {@code 512Mi}, {@code 10G}, {@code 1073741824}. */
final class Size {
    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("k", 1000L),
            Map.entry("m", 1000L * 1000),
            Map.entry("g", 1000L * 1000 * 1000),
            Map.entry("t", 1000L * 1000 * 1000 * 1000),
            Map.entry("ki", 1L << 10),
            Map.entry("mi", 1L << 20),
            Map.entry("gi", 1L << 30),
            Map.entry("ti", 1L << 40));

    private Size() {}

    static long parse(String option, String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        Long unit = UNITS.get(text.substring(end).toLowerCase(Locale.ROOT));
        try {
            long bytes = Math.multiplyExact(Long.parseLong(text.substring(0, end)), unit == null ? 0 : unit);
            if (bytes > 0) {
                return bytes;
            }
        } catch (NumberFormatException | ArithmeticException e) {
            // A number that is too large gets the same error as a wrong unit.
        }
        throw new UsageException(
                option + " '" + text
                        + "' is no size; write a whole number greater than zero, with K, M, G, T, Ki, Mi, Gi or Ti if you like");
    }
}
