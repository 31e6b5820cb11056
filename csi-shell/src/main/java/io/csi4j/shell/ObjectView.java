package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** An object as lines of names and values; the lists in it are tables. */
final class ObjectView {
    private final int width;
    private final Cells cells;

    ObjectView(int width, Cells cells) {
        this.width = width;
        this.cells = cells;
    }

    String lines(List<ApiField> shape, JsonObject object) {
        StringBuilder lines = new StringBuilder();
        append(lines, "", shape, object);
        return lines.toString();
    }

    private void append(StringBuilder lines, String indent, List<ApiField> shape, JsonObject object) {
        List<ApiField> fields = Cells.fields(shape, object).stream()
                .filter(field -> object.has(field.name()))
                .toList();
        int names = fields.stream()
                .filter(field -> !isNested(field, object.get(field.name())))
                .mapToInt(field -> Text.width(title(field)))
                .max()
                .orElse(0);
        List<ApiField> nested = new ArrayList<>();
        for (ApiField field : fields) {
            JsonElement value = object.get(field.name());
            if (isNested(field, value)) {
                nested.add(field);
            } else {
                String text = cells.painted(field, cells.inLine(field, value));
                lines.append(indent)
                        .append(Text.pad(title(field), names, false))
                        .append("  ")
                        .append(text)
                        .append('\n');
            }
        }
        for (ApiField field : nested) {
            lines.append(indent.isEmpty() ? "\n" : "")
                    .append(indent)
                    .append(cells.bold(title(field)))
                    .append('\n');
            JsonElement value = object.get(field.name());
            if (value instanceof JsonObject child) {
                append(lines, indent + "  ", field.fields(), child);
            } else {
                appendTable(lines, indent + "  ", field, value.getAsJsonArray());
            }
        }
    }

    private static String title(ApiField field) {
        return Text.title(Text.safe(
                field.type() == ApiField.Type.BYTES ? field.name().replaceFirst("Bytes$", "") : field.name()));
    }

    private static boolean isNested(ApiField field, JsonElement value) {
        if (value instanceof JsonObject object) {
            return field.type() != ApiField.Type.MAP && !object.isEmpty();
        }
        return value instanceof JsonArray array
                && !array.isEmpty()
                && array.get(0).isJsonObject();
    }

    private void appendTable(StringBuilder lines, String indent, ApiField field, JsonArray array) {
        List<JsonObject> rows = new ArrayList<>();
        for (JsonElement element : array) {
            if (element instanceof JsonObject row) {
                rows.add(row);
            }
        }
        List<ApiField> shape = field.fields().isEmpty() ? Cells.fields(List.of(), rows.get(0)) : field.fields();
        for (String line :
                new Table(shape, width - indent.length(), cells).lines(rows).split("\n", -1)) {
            if (!line.isEmpty()) {
                lines.append(indent).append(line).append('\n');
            }
        }
    }
}
