package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.volume.FencingPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LifecycleOptionsTest {
    private static final Duration TINY = Duration.ofNanos(1);

    /** A setter, with the new value of each accessor that it changes. */
    record Setting(
            String name,
            Function<LifecycleOptions.Builder, LifecycleOptions.Builder> set,
            Map<String, Object> changed) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Map<String, Object> values(LifecycleOptions options) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("callsInFlight", options.callsInFlight());
        values.put("callsPerNode", options.callsPerNode());
        values.put("callTimeout", options.callTimeout());
        values.put("secretsTimeout", options.secretsTimeout());
        values.put("logTimeout", options.logTimeout());
        values.put("operationTimeout", options.operationTimeout());
        values.put("retryBase", options.retryBase());
        values.put("retryMax", options.retryMax());
        values.put("slowRetryBase", options.slowRetryBase());
        values.put("slowRetryMax", options.slowRetryMax());
        values.put("snapshotPollInterval", options.snapshotPollInterval());
        values.put("contentSourceRequired", options.contentSourceRequired());
        values.put("fencingPolicy", options.fencingPolicy());
        values.put("scanInterval", options.scanInterval());
        values.put("unusedPluginRemovalInterval", options.unusedPluginRemovalInterval());
        values.put("reconciliationInterval", options.reconciliationInterval());
        values.put("reconciliationRepairs", options.reconciliationRepairs());
        values.put("nodeInfoSpacing", options.nodeInfoSpacing());
        values.put("nodeReportInterval", options.nodeReportInterval());
        return values;
    }

    private static Setting number(
            String name, BiFunction<LifecycleOptions.Builder, Integer, LifecycleOptions.Builder> set) {
        return new Setting(name, builder -> set.apply(builder, 1), Map.of(name, 1));
    }

    private static Setting duration(
            String name, Duration least, BiFunction<LifecycleOptions.Builder, Duration, LifecycleOptions.Builder> set) {
        return new Setting(name, builder -> set.apply(builder, least), Map.of(name, least));
    }

    static Stream<Setting> settings() {
        return Stream.of(
                number("callsInFlight", LifecycleOptions.Builder::callsInFlight),
                number("callsPerNode", LifecycleOptions.Builder::callsPerNode),
                duration("callTimeout", TINY, LifecycleOptions.Builder::callTimeout),
                duration("secretsTimeout", TINY, LifecycleOptions.Builder::secretsTimeout),
                duration("logTimeout", TINY, LifecycleOptions.Builder::logTimeout),
                duration("operationTimeout", TINY, LifecycleOptions.Builder::operationTimeout),
                new Setting("retry", builder -> builder.retry(TINY, TINY), Map.of("retryBase", TINY, "retryMax", TINY)),
                new Setting(
                        "slowRetry",
                        builder -> builder.slowRetry(TINY, Duration.ofNanos(2)),
                        Map.of("slowRetryBase", TINY, "slowRetryMax", Duration.ofNanos(2))),
                duration("snapshotPollInterval", TINY, LifecycleOptions.Builder::snapshotPollInterval),
                new Setting(
                        "contentSourceRequired",
                        builder -> builder.contentSourceRequired(false),
                        Map.of("contentSourceRequired", false)),
                new Setting(
                        "fencingPolicy",
                        builder -> builder.fencingPolicy(FencingPolicy.onFence()),
                        Map.of("fencingPolicy", FencingPolicy.onFence())),
                duration("scanInterval", TINY, LifecycleOptions.Builder::scanInterval),
                duration(
                        "unusedPluginRemovalInterval",
                        Duration.ZERO,
                        LifecycleOptions.Builder::unusedPluginRemovalInterval),
                new Setting(
                        "reconciliation",
                        builder -> builder.reconciliation(TINY, true),
                        Map.of("reconciliationInterval", TINY, "reconciliationRepairs", true)),
                duration("nodeInfoSpacing", TINY, LifecycleOptions.Builder::nodeInfoSpacing),
                duration("nodeReportInterval", Duration.ZERO, LifecycleOptions.Builder::nodeReportInterval));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void setterChangesOnlyItsOption(Setting setting) {
        LifecycleOptions.Builder builder = LifecycleOptions.builder();
        assertThat(setting.set().apply(builder)).as("for the next setter").isSameAs(builder);
        Map<String, Object> expected = values(LifecycleOptions.ofDefaults());
        assertThat(expected)
                .as("the default is another value")
                .doesNotContainEntry(
                        setting.changed().keySet().iterator().next(),
                        setting.changed().values().iterator().next());
        expected.putAll(setting.changed());
        assertThat(values(builder.build())).isEqualTo(expected);
    }

    record Bad(String option, String least, Function<LifecycleOptions.Builder, Object> set) {
        @Override
        public String toString() {
            return option;
        }
    }

    static List<Bad> badValues() {
        Duration negative = Duration.ofNanos(-1);
        return List.of(
                new Bad("callsInFlight is 0", "1", builder -> builder.callsInFlight(0)),
                new Bad("callsPerNode is 0", "1", builder -> builder.callsPerNode(0)),
                new Bad("callTimeout is PT0S", "more than zero", builder -> builder.callTimeout(Duration.ZERO)),
                new Bad("secretsTimeout is", "more than zero", builder -> builder.secretsTimeout(negative)),
                new Bad("logTimeout is PT0S", "more than zero", builder -> builder.logTimeout(Duration.ZERO)),
                new Bad(
                        "operationTimeout is PT0S",
                        "more than zero",
                        builder -> builder.operationTimeout(Duration.ZERO)),
                new Bad("retryBase is PT0S", "more than zero", builder -> builder.retry(Duration.ZERO, TINY)),
                new Bad(
                        "retryMax is PT1S",
                        "PT2S",
                        builder -> builder.retry(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                new Bad("slowRetryBase is PT0S", "more than zero", builder -> builder.slowRetry(Duration.ZERO, TINY)),
                new Bad(
                        "slowRetryMax is PT1S",
                        "PT2S",
                        builder -> builder.slowRetry(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                new Bad(
                        "snapshotPollInterval is PT0S",
                        "more than zero",
                        builder -> builder.snapshotPollInterval(Duration.ZERO)),
                new Bad("scanInterval is PT0S", "more than zero", builder -> builder.scanInterval(Duration.ZERO)),
                new Bad("nodeInfoSpacing is PT0S", "more than zero", builder -> builder.nodeInfoSpacing(Duration.ZERO)),
                new Bad(
                        "unusedPluginRemovalInterval is",
                        "PT0S",
                        builder -> builder.unusedPluginRemovalInterval(negative)),
                new Bad("reconciliationInterval is", "PT0S", builder -> builder.reconciliation(negative, false)),
                new Bad("nodeReportInterval is", "PT0S", builder -> builder.nodeReportInterval(negative)));
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void valueOutOfBoundsIsRejectedWithItsOptionAndItsBound(Bad bad) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bad.set().apply(LifecycleOptions.builder()))
                .withMessageContaining(bad.option())
                .withMessageContaining("use " + bad.least());
    }
}
