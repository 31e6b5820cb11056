package io.csi4j.core.internal.text;

import java.time.Duration;
import java.util.Locale;

/** Formats durations for people. */
public final class Durations {
    private Durations() {}

    /** Returns a short text, for example {@code 1.5 s}, {@code 2 min} or {@code 20 ms}. */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis == 0 ? duration.toNanos() / 1_000 + " us" : millis + " ms";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + " min";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
}
