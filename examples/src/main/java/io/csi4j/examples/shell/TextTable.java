package io.csi4j.examples.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints an answer for people: an object as lines of name and value, an array of objects as a table. */
final class TextTable {
    private TextTable() {}

    static String of(JsonElement answer) {
        StringBuilder text = new StringBuilder();
        if (answer.isJsonArray()) {
            rows(text, answer.getAsJsonArray());
        } else if (answer.isJsonObject()) {
            fields(text, answer.getAsJsonObject());
        } else {
            text.append(answer.getAsString()).append('\n');
        }
        return text.toString();
    }

    private static void fields(StringBuilder text, JsonObject object) {
        object.entrySet().forEach(field -> {
            if (isTable(field.getValue())) {
                text.append(field.getKey()).append(":\n");
                rows(text, field.getValue().getAsJsonArray());
            } else {
                text.append(String.format("%-14s %s%n", title(field.getKey()), cell(field.getValue())));
            }
        });
    }

    private static boolean isTable(JsonElement value) {
        return value.isJsonArray()
                && !value.getAsJsonArray().isEmpty()
                && value.getAsJsonArray().get(0).isJsonObject();
    }

    private static void rows(StringBuilder text, JsonArray rows) {
        if (rows.isEmpty()) {
            text.append("none\n");
            return;
        }
        Map<String, Integer> widths = new LinkedHashMap<>();
        List<Map<String, String>> cells = new ArrayList<>();
        for (JsonElement row : rows) {
            Map<String, String> line = new LinkedHashMap<>();
            row.getAsJsonObject().entrySet().forEach(field -> {
                String value = cell(field.getValue());
                line.put(field.getKey(), value);
                widths.merge(
                        field.getKey(), Math.max(value.length(), field.getKey().length() + 2), Math::max);
            });
            cells.add(line);
        }
        line(text, widths, widths.keySet().stream().collect(Collectors.toMap(key -> key, TextTable::title)));
        cells.forEach(line -> line(text, widths, line));
    }

    private static void line(StringBuilder text, Map<String, Integer> widths, Map<String, String> cells) {
        StringBuilder line = new StringBuilder();
        widths.forEach((key, width) -> line.append(String.format("%-" + width + "s  ", cells.getOrDefault(key, ""))));
        text.append(line.toString().stripTrailing()).append('\n');
    }

    /** Splits a JSON name into words: {@code healthyNodes} becomes {@code HEALTHY NODES}. */
    private static String title(String key) {
        return key.replaceAll("([a-z])([A-Z])", "$1 $2").toUpperCase(Locale.ROOT);
    }

    private static String cell(JsonElement value) {
        if (value.isJsonPrimitive()) {
            String text = value.getAsString();
            return text.isEmpty() ? "-" : text;
        } else if (value.isJsonArray()) {
            String text = value.getAsJsonArray().asList().stream()
                    .map(TextTable::cell)
                    .collect(Collectors.joining(", "));
            return text.isEmpty() ? "-" : text;
        } else if (value.isJsonObject()) {
            return value.getAsJsonObject().entrySet().stream()
                    .map(field -> cell(field.getValue()))
                    .filter(text -> !text.equals("-"))
                    .collect(Collectors.joining(" "));
        }
        return "-";
    }
}
