package io.csi4j.core.volume;

/** What texts of a declaration may look like. By hand: a declaration is checked at each registration. */
final class SpecText {
    private SpecText() {}

    /** R21: all control characters but tab, line feed and carriage return. */
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

    /** R25. */
    static boolean isSecretKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isKeyCharacter(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Letters, digits, dash, underscore and dot. */
    private static boolean isKeyCharacter(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_'
                || c == '.';
    }

    /** As an encoder counts: a lone surrogate becomes a question mark. */
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
