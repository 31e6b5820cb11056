package io.csi4j.admin.access;

import io.csi4j.core.id.Namespace;
import java.util.List;

/**
 * A namespace with wildcards. A wildcard stands for any number of characters, also none; all other characters stand for
 * themselves.
 *
 * @param texts the texts between the wildcards, one more than there are wildcards; possibly empty
 */
record NamespacePattern(List<String> texts) {
    NamespacePattern {
        texts = List.copyOf(texts);
    }

    /** Finds each text at its first place, which leaves the most room for the next ones. So the time is at most the product of the lengths. */
    boolean matches(Namespace namespace) {
        String value = namespace.value();
        String first = texts.get(0);
        if (texts.size() == 1) {
            return value.equals(first);
        }
        String last = texts.get(texts.size() - 1);
        if (!value.startsWith(first)) {
            return false;
        }
        int at = first.length();
        for (String text : texts.subList(1, texts.size() - 1)) {
            int found = value.indexOf(text, at);
            if (found < 0) {
                return false;
            }
            at = found + text.length();
        }
        return value.length() - last.length() >= at && value.endsWith(last);
    }
}
