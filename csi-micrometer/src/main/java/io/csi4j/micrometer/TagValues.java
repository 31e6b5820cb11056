package io.csi4j.micrometer;

import java.util.Locale;

/** Converts values to the texts of a meter's tags. */
final class TagValues {
    private TagValues() {}

    /** Returns the name of a constant as a tag value, for example {@code node_detached}. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
