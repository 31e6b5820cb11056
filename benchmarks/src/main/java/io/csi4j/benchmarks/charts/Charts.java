package io.csi4j.benchmarks.charts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws the charts and writes the tables of docs/performance.md from the saved output of the benchmarks in docs/data.
 * No number on that page was written by hand.
 */
public final class Charts {
    private static final List<String> SIZES = List.of("10k", "100k", "1M");
    private static final List<String> SERIES =
            List.of("store of the reference (Go)", "csi4j", "plain hash maps, this run");

    /** The title of each chart. The key is the operation's name in the saved output of the state store's benchmark. */
    private static final Map<String, String> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put("take a claim", "Take a claim");
        OPERATIONS.put("take, unpublish, detach, free", "Take and release a claim: four transactions");
        OPERATIONS.put("point read", "Read one volume from a snapshot");
        OPERATIONS.put("list by prefix, per item", "List volumes by a prefix, for each volume");
        OPERATIONS.put("list by plugin, per item", "List the volumes of a plugin, for each volume");
    }

    private final Path docs;

    private Charts(Path docs) {
        this.docs = docs;
    }

    /**
     * Draws all charts.
     *
     * @param args the directory of the documents, with {@code data/reference.md}, {@code data/state.md}, {@code
     *     data/engine.md}, {@code data/templates.md} and the page {@code performance.md}
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: Charts DOCS");
            System.exit(2);
        }
        new Charts(Path.of(args[0])).draw();
    }

    /** Draws all charts below a directory of documents. */
    static void draw(Path docs) throws IOException {
        new Charts(docs).draw();
    }

    private void draw() throws IOException {
        MarkdownTable reference = MarkdownTable.read(docs.resolve("data/reference.md"));
        MarkdownTable state = MarkdownTable.read(docs.resolve("data/state.md"));
        MarkdownTable engine = MarkdownTable.read(docs.resolve("data/engine.md"));
        MarkdownTable templates = MarkdownTable.read(docs.resolve("data/templates.md"));
        Path images = Files.createDirectories(docs.resolve("images"));
        for (Map.Entry<String, String> operation : OPERATIONS.entrySet()) {
            BarChart chart = chart(operation.getKey(), operation.getValue(), reference, state);
            if (chart.isEmpty()) {
                throw new IOException(
                        "data/state.md has no row for '" + operation.getKey() + "'; run the benchmark again");
            }
            Files.writeString(images.resolve(file(operation.getKey())), chart.svg());
        }
        Path page = docs.resolve("performance.md");
        String text = Files.readString(page);
        text = replaced(text, "state", stateTable(reference, state));
        text = replaced(text, "engine", measurements(engine));
        text = replaced(text, "templates", measurements(templates));
        Files.writeString(page, text);
    }

    private static String file(String operation) {
        return "performance-" + operation.replaceAll("[^a-z]+", "-") + ".svg";
    }

    private static BarChart chart(String operation, String title, MarkdownTable reference, MarkdownTable state) {
        BarChart chart = new BarChart(title, SERIES);
        for (String size : SIZES) {
            if (state.cell(2, operation, size).isEmpty()) {
                continue;
            }
            chart.group(size + " volumes");
            reference.cell(2, operation, size).ifPresent(text -> chart.bar(0, Quantity.parse(text)));
            state.cell(2, operation, size).ifPresent(text -> chart.bar(1, Quantity.parse(text)));
            state.cell(3, operation, size).ifPresent(text -> chart.bar(2, Quantity.parse(text)));
        }
        return chart;
    }

    private static List<String> stateTable(MarkdownTable reference, MarkdownTable state) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "| operation | volumes | reference (Go) | csi4j | hash maps | csi4j / hash maps | reference / csi4j |");
        lines.add("|---|--:|--:|--:|--:|--:|--:|");
        for (List<String> row : state.rows()) {
            if (row.size() < 4 || row.get(0).equals("operation")) {
                continue;
            }
            String operation = row.get(0);
            String size = row.get(1);
            String known = reference.cell(2, operation, size).orElse("");
            String factor = known.isEmpty()
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            "%.0f",
                            Quantity.parse(known).value()
                                    / Quantity.parse(row.get(2)).value());
            lines.add("| " + String.join(" | ", operation, size, known, row.get(2), row.get(3), row.get(4), factor)
                    + " |");
        }
        return lines;
    }

    private static List<String> measurements(MarkdownTable saved) {
        List<String> lines = new ArrayList<>();
        lines.add("| measurement | value | budget |");
        lines.add("|---|--:|--:|");
        for (List<String> row : saved.rows()) {
            if (!row.get(0).equals("measurement")) {
                lines.add("| " + String.join(" | ", row) + " |");
            }
        }
        return lines;
    }

    /** Replaces the lines between two marks of a page. */
    private static String replaced(String page, String mark, List<String> lines) throws IOException {
        String begin = "<!-- " + mark + " -->\n";
        String end = "<!-- end of " + mark + " -->";
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        if (from < 0 || to < from) {
            throw new IOException("performance.md has no lines '" + begin.strip() + "' and '" + end + "'");
        }
        return page.substring(0, from + begin.length()) + String.join("\n", lines) + "\n" + page.substring(to);
    }
}
