package io.csi4j.shell;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A table that fits the terminal. The first rows decide how wide its columns are, so that the others need no memory. */
final class Table {
    private static final int NARROWEST = 6;
    /** The width to which columns shrink if there are too many of them. */
    private static final int LEAST = 3;

    private static final String GAP = "  ";

    private final List<ApiField> columns;
    private final int width;
    private final Cells cells;
    private int[] widths = {};

    /** @param width the columns of the terminal */
    Table(List<ApiField> shape, int width, Cells cells) {
        List<ApiField> shown =
                shape.stream().filter(field -> field.head().isPresent()).toList();
        this.columns = shown.isEmpty()
                ? shape.stream()
                        .filter(field -> field.type() != ApiField.Type.OBJECTS && field.type() != ApiField.Type.OBJECT)
                        .toList()
                : shown;
        this.width = width;
        this.cells = cells;
    }

    private static String head(ApiField field) {
        return field.head().orElseGet(() -> Text.words(Text.safe(field.name())).toUpperCase(Locale.ROOT));
    }

    /** Returns rows as lines, with the head before the first ones. */
    String lines(List<JsonObject> rows) {
        List<List<String>> texts = new ArrayList<>();
        for (JsonObject row : rows) {
            texts.add(columns.stream()
                    .map(field -> cells.inTable(field, Optional.ofNullable(row.get(field.name()))))
                    .toList());
        }
        StringBuilder lines = new StringBuilder();
        if (widths.length == 0) {
            decide(texts);
            lines.append(cells.bold(line(columns.stream().map(Table::head).toList(), false)))
                    .append('\n');
        }
        texts.forEach(row -> lines.append(line(row, true)).append('\n'));
        return lines.toString();
    }

    private void decide(List<List<String>> rows) {
        widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Text.width(head(columns.get(i)));
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], Text.width(row.get(i)));
            }
        }
        long total = GAP.length() * (widths.length - 1L);
        for (int column : widths) {
            total += column;
        }
        int[] numbers = new int[widths.length];
        for (int i = 0; i < widths.length; i++) {
            for (List<String> row : rows) {
                numbers[i] = columns.get(i).isNumber() ? Math.max(numbers[i], Text.width(row.get(i))) : 0;
            }
        }
        for (int narrowest = NARROWEST; narrowest >= LEAST; narrowest--) {
            for (int widest = widest(narrowest, numbers); total > width && widest >= 0; ) {
                widths[widest]--;
                total--;
                widest = widest(narrowest, numbers);
            }
        }
    }

    /**
     * Returns the widest column that may be narrower, or -1. A number is never cut, but its head may be.
     *
     * @param numbers the widths of the numbers of each column; 0 for others
     */
    private int widest(int narrowest, int[] numbers) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            if (widths[i] > Math.max(narrowest, numbers[i]) && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private String line(List<String> texts, boolean painted) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            ApiField field = columns.get(i);
            boolean last = i == widths.length - 1;
            String text = field.isNumber() && painted ? texts.get(i) : Text.cut(texts.get(i), widths[i]);
            String cell = last && !field.isNumber() ? text : Text.pad(text, widths[i], field.isNumber());
            line.append(i == 0 ? "" : GAP).append(painted ? cells.painted(field, cell) : cell);
        }
        return line.toString();
    }
}
