package io.csi4j.testkit.internal.control;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes several texts as one line with tabs between them, and reads them back. */
final class TabbedLine {
    private TabbedLine() {}

    static String join(List<String> fields) {
        return fields.stream().map(TabbedLine::escaped).collect(Collectors.joining("\t"));
    }

    static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    static List<String> split(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\t') {
                fields.add(field.toString());
                field.setLength(0);
            } else if (c == '\\' && i + 1 < line.length()) {
                char escaped = line.charAt(++i);
                field.append(
                        switch (escaped) {
                            case 't' -> '\t';
                            case 'n' -> '\n';
                            case 'r' -> '\r';
                            default -> escaped;
                        });
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
