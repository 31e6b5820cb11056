package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each alert rule fires in the situation that it is for, and none fires for a healthy engine. */
class AlertRulesTest {
    private static final Path RULES = Path.of("..", "docs", "prometheus", "csi4j.rules.yml");
    private static final Path RUNBOOK = Path.of("..", "docs", "guide", "runbook.md");
    private static final Pattern RULE =
            Pattern.compile("- alert: (\\w+)\\n\\s+expr: (.+)\\n(?s:.*?)runbook: docs/guide/runbook.md#(\\S+)");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MeteredEngine engine = new MeteredEngine(registry);

    private record Rule(String expression, String section) {}

    /** A situation for each rule, on top of a healthy engine with one plugin, two nodes and two volumes. */
    @SuppressWarnings("ImmutableEnumChecker") // the lambdas keep no state
    enum Situation {
        CsiNoLeader(engine -> engine.lifecycle.stopLeading()),
        CsiLogFails(engine -> {
            engine.logAnswers = false;
            assertThat(engine.lifecycle.cluster().nodeReady(NodeId.of("n1"))).isNotNull();
        }),
        CsiReleaseDoesNotEnd(engine -> {
            engine.answers = MeteredEngine.Answers.INTERNAL;
            engine.end("a");
            engine.time.advance(Duration.ofMinutes(20));
        }),
        CsiClaimWaits(engine -> {
            assertThat(engine.claim("b", "n2", "v")).isNotDone();
            engine.time.advance(Duration.ofMinutes(20));
        }),
        CsiPluginInstancesMissing(engine -> engine.expect(MeteredEngine.DISK, 3, 0)),
        CsiCallsFail(engine -> {
            engine.answers = MeteredEngine.Answers.INTERNAL;
            assertThat(engine.claim("b", "n2", "w")).isNotDone();
            engine.failuresBegan();
            engine.time.advance(Duration.ofMinutes(15));
        }),
        CsiCallsWait(engine -> {
            engine.answers = MeteredEngine.Answers.NEVER;
            for (String volume : List.of("w", "x", "y")) {
                assertThat(engine.claim("for-" + volume, "n1", volume)).isNotDone();
            }
            engine.time.advance(Duration.ofMinutes(4));
        }),
        CsiNodeLost(engine -> engine.done(engine.lifecycle.cluster().nodeDown(NodeId.of("n2"), "no heartbeat"))),
        CsiNodeSilent(engine -> {
            engine.nodeReport = null;
            engine.time.advance(Duration.ofMinutes(2));
        }),
        CsiNodeWorkHangs(engine -> {
            engine.nodeReport = report(NodeVolume.State.UNMOUNTING, "", Duration.ofMinutes(20));
            engine.time.advance(Duration.ofMinutes(1));
        }),
        CsiMountBroken(engine -> {
            engine.nodeReport = report(NodeVolume.State.MOUNTED, "does not answer", Duration.ZERO);
            engine.time.advance(Duration.ofMinutes(1));
        }),
        CsiProviderDiffers(engine -> EventSamples.publishTo(engine.meters.listener())),
        CsiSecretsAbsent(engine -> EventSamples.publishTo(engine.meters.listener())),
        CsiMetersStale(engine -> engine.readsAllowed = false),
        CsiVolumeLost(engine -> engine.lose("w")),
        CsiStepMissed(engine -> EventSamples.publishTo(engine.meters.listener())),
        CsiDatabaseFails(engine -> engine.replicated.trouble =
                Optional.of(new LogDetails.Trouble("it is full", "Free space.", Duration.ofMinutes(2)))),
        CsiCommitSlow(engine -> engine.replicated.commit(Duration.ofSeconds(2))),
        CsiLeaseLate(engine -> engine.replicated.leaseAge = Duration.ofSeconds(6)),
        CsiLeaderChanges(engine -> engine.replicated.term += 4),
        CsiServerBehind(engine -> engine.replicated.last += 20_000),
        CsiServerSilent(engine -> engine.replicated.silence = Duration.ofMinutes(2)),
        CsiLogGrows(engine -> {
            engine.replicated.last = 200_000;
            engine.replicated.appliedByOther = 200_000;
        });

        private final Consumer<MeteredEngine> begin;

        Situation(Consumer<MeteredEngine> begin) {
            this.begin = begin;
        }
    }

    private static NodeReport report(NodeVolume.State state, String problem, Duration unfinished) {
        return new NodeReport(List.of(new NodeVolume(
                VolumeKey.of("default", "v"),
                Optional.of(MeteredEngine.DISK),
                Optional.of(ExternalVolumeId.of("e")),
                false,
                true,
                "",
                List.of(new NodeVolume.Use(AllocationId.of("a"), state, Optional.empty(), false, problem)),
                Optional.empty(),
                "",
                "",
                unfinished)));
    }

    private static Map<String, Rule> rules() throws IOException {
        Map<String, Rule> rules = new LinkedHashMap<>();
        RULE.matcher(Files.readString(RULES))
                .results()
                .forEach(found -> rules.put(found.group(1), new Rule(found.group(2), found.group(3))));
        return rules;
    }

    private void healthy() {
        engine.nodeReport = new NodeReport(List.of());
        engine.node("n1", MeteredEngine.DISK).node("n2", MeteredEngine.DISK).expect(MeteredEngine.DISK, 1, 0);
        for (String volume : List.of("v", "w", "x", "y")) {
            engine.volume(volume);
        }
        assertThat(engine.claim("a", "n1", "v")).isCompleted();
        engine.time.advance(Duration.ofMinutes(2));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @ParameterizedTest
    @EnumSource
    void ruleFiresInItsSituationAndNotBefore(Situation situation) throws IOException {
        Rule rule = rules().get(situation.name());
        healthy();
        String before = registry.scrape();
        assertThat(PromExpression.of(rule.expression()).fires(before, before)).isFalse();

        situation.begin.accept(engine);
        engine.nextRead();

        String from = engine.failing == null ? before : engine.failing;
        assertThat(PromExpression.of(rule.expression()).fires(from, registry.scrape()))
                .as("%s over%n%s", rule.expression(), registry.scrape())
                .isTrue();
    }

    @Test
    void eachRuleHasSituationAndSectionOfRunbook() throws IOException {
        String alerts = Files.readString(RULES);
        Map<String, Rule> rules = rules();
        assertThat(rules).hasSize(alerts.split("- alert:", -1).length - 1);
        assertThat(rules.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Situation.values()).map(Enum::name).toList());
        List<String> sections = Files.readString(RUNBOOK)
                .lines()
                .filter(line -> line.startsWith("## "))
                .map(line ->
                        line.substring(3).toLowerCase(java.util.Locale.ROOT).replace(' ', '-'))
                .toList();
        assertThat(rules.values()).allSatisfy(rule -> assertThat(sections).contains(rule.section()));
    }

    @Test
    void noRuleFiresForHealthyEngine() throws IOException {
        healthy();
        String before = registry.scrape();
        engine.time.advance(Duration.ofHours(1));
        String after = registry.scrape();
        assertThat(rules())
                .allSatisfy((name, rule) -> assertThat(
                                PromExpression.of(rule.expression()).fires(before, after))
                        .isFalse());
    }

    @Test
    void seriesThatIsNewCountsAsNoIncrease() {
        PromExpression expression = PromExpression.of("sum(increase(m_total{kind=\"a\"}[5m])) > 0");
        assertThat(expression.fires("", "m_total{kind=\"a\"} 1.0")).isFalse();
        assertThat(expression.fires("m_total{kind=\"a\"} 1.0", "m_total{kind=\"a\"} 2.0"))
                .isTrue();
        assertThat(expression.fires("m_total{kind=\"b\"} 1.0", "m_total{kind=\"b\"} 2.0"))
                .isFalse();
    }

    /** The part of PromQL that the rules use: one aggregation over one metric, a difference, or an increase. */
    private record PromExpression(
            String aggregation,
            List<String> by,
            boolean increase,
            String metric,
            Map<String, String> conditions,
            Optional<String> minus,
            boolean above,
            double limit) {
        private static final Pattern WHOLE = Pattern.compile(
                "(max|min|sum)(?: by \\(([\\w, ]+)\\))? ?\\((increase\\()?(\\w+)(?:\\{(.*?)})?(?:\\[\\w+]\\))?(?: - (\\w+))?\\) ([<>]) ([\\d.]+)");
        private static final Pattern CONDITION = Pattern.compile("(\\w+)(=|!=|=~)\"([^\"]*)\"");
        private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
        private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

        static PromExpression of(String text) {
            Matcher whole = WHOLE.matcher(text);
            assertThat(whole.matches()).as("expression %s", text).isTrue();
            Map<String, String> conditions = new LinkedHashMap<>();
            if (whole.group(5) != null) {
                CONDITION
                        .matcher(whole.group(5))
                        .results()
                        .forEach(found -> conditions.put(
                                found.group(1),
                                found.group(2).equals("!=")
                                        ? "(?!" + Pattern.quote(found.group(3)) + "$).*"
                                        : found.group(3)));
            }
            return new PromExpression(
                    whole.group(1),
                    whole.group(2) == null ? List.of() : List.of(whole.group(2).split(", ")),
                    whole.group(3) != null,
                    whole.group(4),
                    conditions,
                    Optional.ofNullable(whole.group(6)),
                    whole.group(7).equals(">"),
                    Double.parseDouble(whole.group(8)));
        }

        boolean fires(String before, String now) {
            Map<Map<String, String>, Double> earlier = samples(before, metric);
            Map<Map<String, String>, Double> subtracted =
                    minus.map(name -> samples(now, name)).orElse(Map.of());
            Map<String, Double> groups = new LinkedHashMap<>();
            samples(now, metric).forEach((labels, sample) -> {
                if (!conditions.entrySet().stream()
                        .allMatch(each -> labels.getOrDefault(each.getKey(), "").matches(each.getValue()))) {
                    return;
                }
                double value = sample - subtracted.getOrDefault(labels, 0.0);
                if (increase) {
                    if (!earlier.containsKey(labels)) {
                        return; // Prometheus sees no increase in the first sample of a series.
                    }
                    value = sample - earlier.get(labels);
                }
                String group = by.stream()
                        .map(label -> labels.getOrDefault(label, ""))
                        .toList()
                        .toString();
                groups.merge(group, value, merging());
            });
            return groups.values().stream().anyMatch(value -> above ? value > limit : value < limit);
        }

        private BinaryOperator<Double> merging() {
            return switch (aggregation) {
                case "max" -> Math::max;
                case "min" -> Math::min;
                default -> Double::sum;
            };
        }

        private static Map<Map<String, String>, Double> samples(String scrape, String name) {
            Map<Map<String, String>, Double> samples = new LinkedHashMap<>();
            scrape.lines().forEach(line -> {
                Matcher sample = SAMPLE.matcher(line);
                if (sample.matches() && sample.group(1).equals(name)) {
                    Map<String, String> labels = new LinkedHashMap<>();
                    if (sample.group(2) != null) {
                        LABEL.matcher(sample.group(2))
                                .results()
                                .forEach(label -> labels.put(label.group(1), label.group(2)));
                    }
                    samples.put(labels, Double.parseDouble(sample.group(3)));
                }
            });
            return samples;
        }
    }
}
