package io.csi4j.admin.internal.console;

import java.util.Locale;

/**
 * Writes HTML and SVG. Every text and every value of an attribute is escaped; names of elements and attributes come from the
 * code only.
 */
final class Html {
    private final StringBuilder out = new StringBuilder(16_384);

    /** Begins an element. The attributes are pairs of a name and a value. */
    Html open(String element, String... attributes) {
        out.append('<').append(element);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            out.append('"');
        }
        out.append('>');
        return this;
    }

    Html close(String element) {
        out.append("</").append(element).append('>');
        return this;
    }

    Html text(String text) {
        escape(text);
        return this;
    }

    /** Writes an element with a text. */
    Html element(String element, String text, String... attributes) {
        return open(element, attributes).text(text).close(element);
    }

    Html link(String target, String text, String... attributes) {
        String[] all = new String[attributes.length + 2];
        all[0] = "href";
        all[1] = target;
        System.arraycopy(attributes, 0, all, 2, attributes.length);
        return element("a", text, all);
    }

    /** Writes a state as a badge; {@code kind} is good, busy, bad or plain. */
    Html badge(Enum<?> state, String kind) {
        return badge(Words.of(state), kind);
    }

    Html badge(String text, String kind) {
        return element("span", text, "class", "badge " + kind.toLowerCase(Locale.ROOT));
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c);
            }
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
