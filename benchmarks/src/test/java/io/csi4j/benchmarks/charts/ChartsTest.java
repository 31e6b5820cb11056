package io.csi4j.benchmarks.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartsTest {
    private static final Path DOCS = Path.of("..", "docs");

    @TempDir
    Path copy;

    private void copyInput() throws IOException {
        Files.createDirectories(copy.resolve("data"));
        for (String name : List.of(
                "data/reference.md", "data/state.md", "data/engine.md", "data/templates.md", "performance.md")) {
            Files.copy(DOCS.resolve(name), copy.resolve(name));
        }
    }

    @Test
    void committedChartsAndPageEqualNewlyDrawnChartsAndPage() throws IOException {
        copyInput();
        Charts.draw(copy);
        assertThat(copy.resolve("performance.md")).hasSameTextualContentAs(DOCS.resolve("performance.md"));
        try (Stream<Path> charts = Files.list(copy.resolve("images"))) {
            List<Path> drawn = charts.toList();
            assertThat(drawn).hasSize(5);
            for (Path chart : drawn) {
                assertThat(DOCS.resolve("images").resolve(chart.getFileName().toString()))
                        .hasSameTextualContentAs(chart);
            }
        }
    }

    @Test
    void chartShowsBarAndValueForEachSeries() {
        String svg = new BarChart("<Time>", List.of("a", "b"))
                .group("10k")
                .bar(0, Quantity.parse("50 us"))
                .bar(1, Quantity.parse("1.5 us"))
                .svg();
        assertThat(svg).contains("&lt;Time&gt;", "50.0 µs", "1.50 µs", "class=\"s0\"", "class=\"s1\"");
        assertThat(svg).startsWith("<svg ").endsWith("</svg>\n");
    }

    @Test
    void longerTimeIsDrawnAsLongerBar() {
        String svg = new BarChart("t", List.of("a"))
                .group("g")
                .bar(0, Quantity.parse("10 ns"))
                .bar(0, Quantity.parse("1 s"))
                .svg();
        List<Integer> widths = Pattern.compile("<rect class=\"s0\" x=\"190\"[^>]* width=\"(\\d+)\"")
                .matcher(svg)
                .results()
                .map(result -> Integer.parseInt(result.group(1)))
                .toList();
        assertThat(widths).hasSize(2);
        assertThat(widths.get(0)).isLessThan(widths.get(1));
    }

    @Test
    void missingMeasurementCausesErrorThatContainsNameOfMeasurement() throws IOException {
        copyInput();
        Files.writeString(copy.resolve("data/state.md"), "| operation | volumes | store |\n");
        assertThatThrownBy(() -> Charts.draw(copy))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("take a claim")
                .hasMessageContaining("run the benchmark again");
    }

    @Test
    void quantityTextIsParsedAsNumberWithUnit() {
        assertThat(Quantity.parse("1336 us").value()).isEqualTo(1_336_000);
        assertThat(Quantity.parse("0.3 ns")).hasToString("0.30 ns");
        assertThat(Quantity.parse("2.50 s")).hasToString("2.50 s");
        assertThat(Quantity.parse("909 B")).hasToString("909 B");
        assertThatIllegalArgumentException().isThrownBy(() -> Quantity.parse("fast"));
    }

    @Test
    void tableParserIgnoresLinesThatAreNotTableRows() {
        MarkdownTable table = MarkdownTable.of(
                List.of("Warming up", "| a | 10k | 1 us |", "|---|--:|--:|", "  b | c", "| d |  | 2 us |"));
        assertThat(table.rows()).hasSize(2);
        assertThat(table.cell(2, "a", "10k")).contains("1 us");
        assertThat(table.cell(2, "d", "")).contains("2 us");
        assertThat(table.cell(2, "d")).contains("2 us");
        assertThat(table.cell(2, "x")).isEmpty();
    }
}
