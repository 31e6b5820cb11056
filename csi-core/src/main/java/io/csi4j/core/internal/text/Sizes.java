package io.csi4j.core.internal.text;

import java.util.List;
import java.util.Locale;

/** Formats sizes in bytes for people. */
public final class Sizes {
    private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB");

    private Sizes() {}

    /**
     * Returns a size in its largest unit, for example {@code 80 MiB}; with the exact number of bytes if it is not a whole number
     * of that unit: {@code 83886081 bytes (80.0 MiB)}.
     */
    public static String text(long bytes) {
        int unit = 0;
        long whole = bytes;
        double size = bytes;
        while (Math.abs(size) >= 1024) {
            size /= 1024;
            whole /= 1024;
            unit++;
        }
        return whole << (10 * unit) == bytes
                ? whole + " " + UNITS.get(unit)
                : bytes + " bytes (" + String.format(Locale.ROOT, "%.1f ", size) + UNITS.get(unit) + ")";
    }
}
