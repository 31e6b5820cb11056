package io.csi4j.agent;

import org.jspecify.annotations.Nullable;

/** Checks the required settings of builders. */
final class Required {
    private Required() {}

    /**
     * Returns a setting.
     *
     * @param type the simple name of the type that is built
     * @throws IllegalStateException if the setting is missing
     */
    static <T> T required(String type, String setting, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(type + ": " + setting + " is not set; it has no default");
        }
        return value;
    }
}
