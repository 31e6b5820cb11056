package io.csi4j.core.csi;

/**
 * Checks the syntax of keys and values in a topology (R24). Uses no regular expressions, because every registration
 * calls these checks and they have to be fast.
 */
final class SegmentText {
    static final int PART_CHARS = 63;

    private SegmentText() {}

    static boolean isKey(String key) {
        int slash = key.indexOf('/');
        return (slash < 0 || isPrefix(key.substring(0, slash))) && isPart(key.substring(slash + 1));
    }

    /** Returns whether the text is a valid domain, the part of a key before the slash. */
    private static boolean isPrefix(String text) {
        return fits(text)
                && isLowerCaseOrDigit(text.charAt(0))
                && isLowerCaseOrDigit(text.charAt(text.length() - 1))
                && consistsOf(text, false);
    }

    /** Returns whether the text is a valid value, or a valid name in a key; the name is the part after the slash. */
    static boolean isPart(String text) {
        return fits(text)
                && isLetterOrDigit(text.charAt(0))
                && isLetterOrDigit(text.charAt(text.length() - 1))
                && consistsOf(text, true);
    }

    private static boolean fits(String text) {
        return !text.isEmpty() && text.length() <= PART_CHARS;
    }

    /**
     * Returns whether the text consists only of lower-case letters, digits, hyphens and dots.
     *
     * @param anyCase true to allow upper-case letters and underscores as well
     */
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
}
