package io.csi4j.examples.lifecycle;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and prints sizes and times. */
public final class Quantities {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,18})\\s*([A-Za-z]*)");
    private static final Map<String, Long> BYTES = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("K", 1_000L),
            Map.entry("M", 1_000_000L),
            Map.entry("G", 1_000_000_000L),
            Map.entry("T", 1_000_000_000_000L),
            Map.entry("Ki", 1L << 10),
            Map.entry("Mi", 1L << 20),
            Map.entry("Gi", 1L << 30),
            Map.entry("Ti", 1L << 40));
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "", 1_000L, "s", 1_000L, "m", 60_000L, "min", 60_000L, "h", 3_600_000L);

    private Quantities() {}

    public static long bytes(String text) {
        long bytes = parse(text, BYTES, "a number with one of Ki, Mi, Gi, Ti, K, M, G, T or nothing, for example 64Mi");
        if (bytes == 0) {
            throw new IllegalArgumentException("is 0; a volume needs at least 1 byte");
        }
        return bytes;
    }

    public static Duration duration(String text) {
        long millis = parse(text, MILLIS, "a number with ms, s, m or h, for example 90s");
        if (millis == 0 || millis > Duration.ofDays(1).toMillis()) {
            throw new IllegalArgumentException("'" + text + "' must be longer than nothing and at most a day");
        }
        return Duration.ofMillis(millis);
    }

    private static long parse(String text, Map<String, Long> units, String expected) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text.strip());
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("'" + text + "' is not " + expected);
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is more than 8 EiB", e);
        }
    }

    /** Prints a size with the largest binary unit below it. */
    public static String text(long bytes) {
        String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        boolean whole = value == Math.rint(value);
        return (whole ? String.valueOf((long) value) : String.format(Locale.ROOT, "%.1f", value)) + " " + units[unit];
    }
}
