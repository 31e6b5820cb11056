package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of meters and the dashboard name the meters of the code. */
class DocumentedMetersTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern METRIC = Pattern.compile("csi4j_\\w+");
    private static final Pattern LABELS = Pattern.compile("(csi4j_\\w+)\\{([^}]*)}");

    /** Returns the name under which Prometheus has a meter; a timer has further suffixes. */
    private static String prometheus(CsiMeter meter) {
        String name = new PrometheusNamingConvention()
                .name(
                        meter.meterName(),
                        Meter.Type.valueOf(meter.kind().name()),
                        meter.unit().isEmpty() ? null : meter.unit());
        return meter.kind() == CsiMeter.Kind.COUNTER ? name + "_total" : name;
    }

    private static String row(CsiMeter meter) {
        String tags = meter.tags().stream().map(tag -> "`" + tag + "`").collect(Collectors.joining(", "));
        return "| `" + meter.meterName() + "` | `" + prometheus(meter) + "` | "
                + meter.kind().name().toLowerCase(Locale.ROOT) + " | " + (tags.isEmpty() ? "-" : tags) + " | "
                + meter.description() + " |";
    }

    private static Set<String> exported() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (MeteredEngine engine = new MeteredEngine(registry);
                NodeMeters node = NodeMeters.of(registry)) {
            assertThat(node).isNotNull();
            engine.node("n1", MeteredEngine.DISK).volume("v");
            assertThat(engine.claim("a", "n1", "v")).isCompleted();
            EventSamples.publishTo(engine.meters.listener());
            engine.quota(7, -1);
            engine.nextRead();
            Set<String> names = new TreeSet<>();
            for (String line : registry.scrape().split("\n", -1)) {
                Matcher name = METRIC.matcher(line);
                if (!line.startsWith("#") && name.lookingAt()) {
                    names.add(name.group());
                }
            }
            return names;
        }
    }

    private static List<JsonObject> panels(JsonObject dashboard) {
        List<JsonObject> panels = new ArrayList<>();
        for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
            panels.add(panel.getAsJsonObject());
        }
        return panels;
    }

    private static List<String> queries(JsonObject dashboard) {
        List<String> queries = new ArrayList<>();
        for (JsonObject panel : panels(dashboard)) {
            JsonArray targets = panel.getAsJsonArray("targets");
            if (targets != null) {
                targets.forEach(target ->
                        queries.add(target.getAsJsonObject().get("expr").getAsString()));
            }
        }
        return queries;
    }

    private static JsonObject dashboard() throws IOException {
        return JsonParser.parseString(Files.readString(DOCS.resolve("grafana/csi4j.json")))
                .getAsJsonObject();
    }

    @Test
    void documentedMeterTableEqualsCode() throws IOException {
        List<String> rows = Files.readString(DOCS.resolve("meters.md"))
                .lines()
                .filter(line -> line.startsWith("| `csi4j."))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(Arrays.stream(CsiMeter.values())
                        .map(DocumentedMetersTest::row)
                        .toList());
    }

    @Test
    void documentedMeterNamesEqualNamesExportedToPrometheus() {
        Set<String> expected = new TreeSet<>();
        for (CsiMeter meter : CsiMeter.values()) {
            String name = prometheus(meter);
            if (meter.kind() == CsiMeter.Kind.TIMER) {
                expected.addAll(Set.of(name + "_count", name + "_sum", name + "_max"));
            } else {
                expected.add(name);
            }
        }
        assertThat(exported()).containsExactlyElementsOf(expected);
    }

    @Test
    void allMetersQueriedByDashboardAreExported() throws IOException {
        Set<String> queried = new HashSet<>();
        for (String query : queries(dashboard())) {
            METRIC.matcher(query).results().forEach(metric -> queried.add(metric.group()));
        }
        assertThat(queried).hasSizeGreaterThan(15);
        assertThat(exported()).containsAll(queried);
    }

    @Test
    void tagsInDashboardQueriesExistInQueriedMeters() throws IOException {
        for (String query : queries(dashboard())) {
            Matcher selected = LABELS.matcher(query);
            while (selected.find()) {
                CsiMeter meter = Arrays.stream(CsiMeter.values())
                        .filter(one -> selected.group(1).matches(prometheus(one) + "(_count|_sum|_max)?"))
                        .findFirst()
                        .orElseThrow();
                for (String condition : selected.group(2).split(",", -1)) {
                    String label = condition.replaceAll("[=!~].*", "").strip();
                    assertThat(meter.tags()).as("%s", query).contains(label);
                }
            }
        }
    }

    @Test
    void dashboardPanelsAreCompleteAndDoNotOverlap() throws IOException {
        JsonObject dashboard = dashboard();
        assertThat(dashboard.get("title").getAsString()).isEqualTo("csi4j");
        assertThat(dashboard.get("uid").getAsString()).isNotEmpty();
        assertThat(dashboard.get("schemaVersion").getAsInt()).isPositive();
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonObject panel : panels(dashboard)) {
            assertThat(ids.add(panel.get("id").getAsInt())).as("%s", panel).isTrue();
            assertThat(panel.get("title").getAsString()).isNotEmpty();
            assertThat(panel.get("type").getAsString()).isIn("row", "stat", "timeseries");
            JsonObject at = panel.getAsJsonObject("gridPos");
            int right = at.get("x").getAsInt() + at.get("w").getAsInt();
            assertThat(right).isLessThanOrEqualTo(24);
            for (int x = at.get("x").getAsInt(); x < right; x++) {
                for (int y = at.get("y").getAsInt();
                        y < at.get("y").getAsInt() + at.get("h").getAsInt();
                        y++) {
                    assertThat(cells.add(x + "/" + y))
                            .as("cell of %s", panel.get("title"))
                            .isTrue();
                }
            }
        }
    }
}
