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
        return !text.isEmpty() && consistsOf(text, true);
    }

    /** R24: the domain before the slash of a topology key. */
    static boolean isTopologyPrefix(String text) {
        return !text.isEmpty()
                && isLowerCaseOrDigit(text.charAt(0))
                && isLowerCaseOrDigit(text.charAt(text.length() - 1))
                && consistsOf(text, false);
    }

    /** R24: the name of a topology key, or its value. */
    static boolean isTopologyPart(String text) {
        return !text.isEmpty()
                && isLetterOrDigit(text.charAt(0))
                && isLetterOrDigit(text.charAt(text.length() - 1))
                && consistsOf(text, true);
    }

    /** Letters, digits, dash, underscore and dot; or lower-case letters, digits, dash and dot. */
    private static boolean consistsOf(String text, boolean anyCase) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean known = anyCase ? isLetterOrDigit(c) || c == '_' : isLowerCaseOrDigit(c);
            if (!known && c != '-' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetterOrDigit(char c) {
        return isLowerCaseOrDigit(c) || (c >= 'A' && c <= 'Z');
    }

    private static boolean isLowerCaseOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
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
