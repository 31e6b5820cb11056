package io.csi4j.benchmarks.charts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The rows of all Markdown tables in a file; other lines are ignored. */
final class MarkdownTable {
    private final List<List<String>> rows;

    private MarkdownTable(List<List<String>> rows) {
        this.rows = rows;
    }

    static MarkdownTable read(Path file) throws IOException {
        return of(Files.readAllLines(file));
    }

    static MarkdownTable of(List<String> lines) {
        List<List<String>> rows = new ArrayList<>();
        for (String line : lines) {
            String text = line.strip();
            if (text.startsWith("|")
                    && text.endsWith("|")
                    && !text.replaceAll("[|\\s:-]", "").isEmpty()) {
                rows.add(Arrays.stream(text.substring(1, text.length() - 1).split("\\|", -1))
                        .map(String::strip)
                        .toList());
            }
        }
        return new MarkdownTable(rows);
    }

    /** Finds the first row that begins with the given cells, and returns the cell of this row in the given column. */
    Optional<String> cell(int column, String... first) {
        return rows.stream()
                .filter(row -> row.size() > Math.max(column, first.length - 1)
                        && row.subList(0, first.length).equals(List.of(first)))
                .map(row -> row.get(column))
                .filter(cell -> !cell.isEmpty())
                .findFirst();
    }

    List<List<String>> rows() {
        return rows;
    }
}
