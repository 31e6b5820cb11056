package io.csi4j.benchmarks.charts;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number with a unit: a time in nanoseconds, or a size in bytes. */
record Quantity(double value, boolean bytes) {
    private static final Pattern TEXT = Pattern.compile("([\\d.]+)\\s*(ns|us|ms|s|B)\\b.*");

    /** @throws IllegalArgumentException if the text is not a number with a unit */
    static Quantity parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a number with one of the units ns, us, ms, s, B");
        }
        double number = Double.parseDouble(matcher.group(1));
        return switch (matcher.group(2)) {
            case "us" -> new Quantity(number * 1e3, false);
            case "ms" -> new Quantity(number * 1e6, false);
            case "s" -> new Quantity(number * 1e9, false);
            case "B" -> new Quantity(number, true);
            default -> new Quantity(number, false);
        };
    }

    /** Returns the number in a readable form: rounded to two or three digits, with its unit. */
    @Override
    public String toString() {
        if (bytes) {
            return String.format(Locale.ROOT, "%.0f B", value);
        }
        if (value < 1e3) {
            return digits(value) + " ns";
        }
        if (value < 1e6) {
            return digits(value / 1e3) + " µs";
        }
        return value < 1e9 ? digits(value / 1e6) + " ms" : digits(value / 1e9) + " s";
    }

    private static String digits(double number) {
        return String.format(Locale.ROOT, number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number);
    }
}
