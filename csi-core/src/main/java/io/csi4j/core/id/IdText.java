package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Checks the texts of all ids that the host chooses. */
final class IdText {
    private static final int MAX_BYTES = 128;

    private IdText() {}

    /**
     * Checks the text of an id.
     *
     * @param parameter the name of the checked parameter, for the error message
     */
    static void check(String type, String parameter, String value) {
        Objects.requireNonNull(value, parameter);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(type + " is empty; give the id that the host uses");
        }
        // Encodes only long ids to count their bytes: a short id cannot exceed the limit, because a code unit needs at
        // most three bytes in UTF-8.
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
