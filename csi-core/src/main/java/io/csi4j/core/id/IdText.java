package io.csi4j.core.id;

import io.csi4j.core.csi.Text;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The checks that all ids of the host share. */
final class IdText {
    private static final int MAX_BYTES = 128;

    private IdText() {}

    /**
     * Checks a value.
     *
     * @param parameter the caller's name of the value, for the message
     */
    static void check(String type, String parameter, String value) {
        Objects.requireNonNull(value, parameter);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(type + " is empty; give the id that the host uses");
        }
        // A text of at most 42 code units cannot exceed the limit, so the usual id needs no encoding to be measured.
        if (value.length() > MAX_BYTES / 3 && value.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new IllegalArgumentException(type + " is longer than " + MAX_BYTES + " bytes of UTF-8; shorten it");
        }
        Text.checked(type, value);
        for (int i = 0; i < value.length(); i++) {
            if (Character.isISOControl(value.charAt(i))) {
                throw new IllegalArgumentException(
                        type + " holds a control character at position " + i + "; leave control characters out");
            }
        }
    }
}
