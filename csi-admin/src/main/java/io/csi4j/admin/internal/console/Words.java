package io.csi4j.admin.internal.console;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Constants, times and sizes as texts. */
final class Words {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Words() {}

    /** Returns a constant in words, for example {@code node detached}. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String time(Instant at) {
        return TIME.format(at);
    }

    /** Returns the time of day with milliseconds. */
    static String clock(Instant at) {
        return CLOCK.format(at);
    }

    static String age(Instant since, Instant now) {
        return duration(Duration.between(since, now));
    }

    static String duration(Duration duration) {
        long millis = Math.max(0, duration.toMillis());
        if (millis < 1000) {
            return millis == 0 ? "less than 1 ms" : millis + " ms";
        }
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        long seconds = millis / 1000;
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        long hours = seconds / 3600;
        return hours < 24 ? hours + " h " + seconds / 60 % 60 + " min" : hours / 24 + " d " + hours % 24 + " h";
    }

    static String bytes(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String number =
                value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.1f", value);
        return number + " " + UNITS[unit];
    }

    static String count(int count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }
}
