package io.csi4j.shell;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and times as people write and read them. */
final class Units {
    private static final Pattern VALUE = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?) ?([A-Za-z]*)");
    private static final List<String> BINARY = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB");

    /** The factors of the decimal units, in lower case. */
    private static final Map<String, BigDecimal> DECIMAL = Map.of(
            "kb", BigDecimal.TEN.pow(3),
            "mb", BigDecimal.TEN.pow(6),
            "gb", BigDecimal.TEN.pow(9),
            "tb", BigDecimal.TEN.pow(12),
            "pb", BigDecimal.TEN.pow(15));

    private static final Map<String, BigDecimal> SECONDS = Map.of(
            "", BigDecimal.ONE,
            "ms", new BigDecimal("0.001"),
            "s", BigDecimal.ONE,
            "m", BigDecimal.valueOf(60),
            "min", BigDecimal.valueOf(60),
            "h", BigDecimal.valueOf(3600),
            "d", BigDecimal.valueOf(86_400));

    private Units() {}

    /** Returns the bytes of a text such as {@code 10GiB}, {@code 5GB} or {@code 1048576}. */
    static long parseBytes(String text) {
        Matcher matcher = VALUE.matcher(text);
        if (matcher.matches()) {
            String unit = matcher.group(2).toLowerCase(Locale.ROOT);
            BigDecimal factor = DECIMAL.get(unit);
            for (int i = 0; i < BINARY.size() && factor == null; i++) {
                if (BINARY.get(i).toLowerCase(Locale.ROOT).equals(unit) || (i == 0 && unit.isEmpty())) {
                    factor = BigDecimal.valueOf(1L << (10 * i));
                }
            }
            if (factor != null) {
                try {
                    return new BigDecimal(matcher.group(1)).multiply(factor).longValueExact();
                } catch (ArithmeticException e) {
                    throw new UsageException("'" + text + "' is not a whole number of at most 64 bits of bytes");
                }
            }
        }
        throw new UsageException("'" + text + "' is not a size; give for example 10GiB, 500MB or 1048576");
    }

    /** Returns the seconds of a text such as {@code 90}, {@code 90s}, {@code 5m}, {@code 2h} or {@code 1d}. */
    static BigDecimal parseSeconds(String text) {
        Matcher matcher = VALUE.matcher(text);
        BigDecimal factor = matcher.matches() ? SECONDS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw new UsageException("'" + text + "' is not a time; give for example 90s, 5m or 2h");
        }
        BigDecimal seconds = new BigDecimal(matcher.group(1)).multiply(factor).stripTrailingZeros();
        return seconds.scale() < 0 ? seconds.setScale(0, RoundingMode.UNNECESSARY) : seconds;
    }

    static String bytes(BigDecimal bytes) {
        BigDecimal value = bytes;
        int unit = 0;
        BigDecimal step = BigDecimal.valueOf(1024);
        while (value.abs().compareTo(step) >= 0 && unit < BINARY.size() - 1) {
            value = value.divide(step, 10, RoundingMode.HALF_UP);
            unit++;
        }
        return unit == 0
                ? value.toBigInteger() + " B"
                : value.setScale(1, RoundingMode.HALF_UP).toPlainString() + " " + BINARY.get(unit);
    }

    /** Returns seconds in the largest units: {@code 2 h 5 min}. */
    static String seconds(BigDecimal seconds) {
        if (seconds.abs().compareTo(BigDecimal.valueOf(60)) < 0) {
            return seconds.setScale(
                                    Math.min(
                                            3,
                                            Math.max(
                                                    0,
                                                    seconds.stripTrailingZeros().scale())),
                                    RoundingMode.HALF_UP)
                            .toPlainString()
                    + " s";
        }
        return span(seconds.longValue());
    }

    private static String span(long seconds) {
        long size = Math.abs(seconds);
        String sign = seconds < 0 ? "-" : "";
        if (size < 60) {
            return sign + size + " s";
        } else if (size < 3600) {
            return sign + size / 60 + " min" + (size < 600 && size % 60 > 0 ? " " + size % 60 + " s" : "");
        } else if (size < 86_400) {
            return sign + size / 3600 + " h" + (size % 3600 >= 60 ? " " + size % 3600 / 60 + " min" : "");
        }
        return sign + size / 86_400 + " d" + (size % 86_400 >= 3600 ? " " + size % 86_400 / 3600 + " h" : "");
    }

    /** Returns a time beside the present: {@code 3 min ago}, {@code in 10 s}. */
    static String relative(Instant time, Instant now) {
        long seconds = Duration.between(time, now).toSeconds();
        return seconds == 0 ? "now" : seconds > 0 ? span(seconds) + " ago" : "in " + span(-seconds);
    }
}
