package io.csi4j.core.internal.check;

/**
 * Checks the syntax of texts. Uses no regular expressions, because every call and every registration makes these
 * checks.
 */
final class CsiText {
    private CsiText() {}

    /** Returns whether the text has control characters except tab, line feed and carriage return (R21). */
    static boolean hasControlCharacters(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean allowed = c == '\t' || c == '\n' || c == '\r';
            if ((c < ' ' && !allowed) || (c >= 0x7F && c <= 0x9F)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the text is a valid key of secrets (R25). */
    static boolean isSecretKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isKeyCharacter(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Returns whether the character is a letter, a digit, a dash, an underscore or a dot. */
    private static boolean isKeyCharacter(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_'
                || c == '.';
    }

    /** Returns the length of the text in bytes of UTF-8. An unpaired surrogate counts as one byte. */
    static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                bytes++;
            }
        }
        return bytes;
    }
}
