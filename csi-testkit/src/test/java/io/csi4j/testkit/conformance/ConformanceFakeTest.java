package io.csi4j.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.Machine;
import io.csi4j.testkit.capability.FakeCapability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit finds nothing in a plugin that keeps the rules: mount and block, with each capability off in turn. */
class ConformanceFakeTest {
    private static final Duration WHOLE_RUN = Duration.ofSeconds(20);

    /** The whole run has these; a capability that is off only skips some of them. */
    private static final List<String> INDEPENDENT_OF_CAPABILITIES = List.of("replay", "concurrent", "walk.idempotent");

    @TempDir
    Path directory;

    private static CsiConformanceBuilder kit(String endpoint, Path directory) {
        return CsiConformance.builder(endpoint)
                .workDir(directory)
                .mutableParameters(Map.of("iops", "3000"))
                .otherNode("node-2");
    }

    private static FakeCsiPluginBuilder plugin(Set<FakeCapability> capabilities) {
        return FakeCsiPlugin.builder()
                .capabilities(capabilities)
                .knownNode("node-2")
                .attachLimit(3);
    }

    private static void requireClean(ConformanceReport report, FakeCsiPlugin plugin) {
        assertThat(report.results().stream()
                        .filter(one -> one.outcome() == CheckOutcome.FAILED || one.outcome() == CheckOutcome.WARNED)
                        .map(CheckResult::toString))
                .isEmpty();
        assertThat(report.passed()).isTrue();
        assertThat(plugin.storage().volumeIds()).isEmpty();
        assertThat(plugin.storage().snapshotIds()).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> fakePluginPassesAllChecksWithAnySetOfCapabilities() {
        List<DynamicTest> tests = new ArrayList<>();
        for (boolean block : new boolean[] {false, true}) {
            String kind = block ? "block" : "mount";
            for (FakeCapability off : FakeCapability.csi113()) {
                tests.add(dynamicTest(
                        kind + ", without " + off,
                        () -> inProcess(FakeCapability.without(FakeCapability.csi113(), off), block)));
            }
            Set<FakeCapability> offline =
                    FakeCapability.without(FakeCapability.csi112(), FakeCapability.ONLINE_EXPANSION);
            offline.add(FakeCapability.OFFLINE_EXPANSION);
            tests.add(dynamicTest(kind + ", CSI 1.12, expansion offline", () -> inProcess(offline, block)));
        }
        return tests.stream();
    }

    private void inProcess(Set<FakeCapability> capabilities, boolean block) throws IOException {
        Path own = Files.createTempDirectory(directory, "w");
        try (FakeCsiPlugin plugin = plugin(capabilities).build().startInProcess()) {
            ConformanceReport report = kit("in-process:" + plugin.inProcessName(), own)
                    .block(block)
                    .skip(INDEPENDENT_OF_CAPABILITIES)
                    .build()
                    .run();
            requireClean(report, plugin);
        }
        try (Stream<Path> left = Files.list(own)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void conformanceRunOverSocketPassesAllChecksWithinTimeLimit() {
        try (FakeCsiPlugin plugin = plugin(FakeCapability.csi113()).build()) {
            plugin.startOn("unix://" + directory.resolve("p.sock"));
            ConformanceReport report = kit(plugin.endpoint(), directory).build().run();
            requireClean(report, plugin);
            assertThat(report.results()).hasSize(CsiConformance.allChecks().size());
            assertThat(report.duration()).isLessThan(WHOLE_RUN);
        }
    }

    @Test
    void pluginSplitIntoControllerAndNodeIsChecked() {
        try (FakeCsiPlugin controller =
                        plugin(FakeCapability.csi113()).controllerOnly().build();
                FakeCsiPlugin node = FakeCsiPlugin.builder()
                        .capabilities(FakeCapability.csi113())
                        .storage(controller.storage())
                        .nodeOnly()
                        .build()) {
            controller.startInProcess();
            node.startInProcess();
            ConformanceReport report = kit("in-process:" + node.inProcessName(), directory)
                    .controllerEndpoint("in-process:" + controller.inProcessName())
                    .build()
                    .run();
            requireClean(report, node);
            assertThat(report.results())
                    .filteredOn(one -> one.check().id().equals("identity.every-endpoint"))
                    .allMatch(one -> one.outcome() == CheckOutcome.PASSED);
        }
    }

    @Test
    void pluginForInlineVolumesPassesChecks() {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .inlineVolumes(List.of("subject"))
                .build()
                .startInProcess()) {
            ConformanceReport report = kit("in-process:" + plugin.inProcessName(), directory)
                    // For such a plugin, an unknown volume is a new one.
                    .skip(List.of("publish.unknown-volume"))
                    .build()
                    .run();
            requireClean(report, plugin);
            assertThat(report.count(CheckOutcome.PASSED)).isGreaterThan(10);
        }
    }

    @Test
    void dataChecksPassOnRealMounts() throws Exception {
        Machine.assumeRoot();
        List<String> data = List.of(
                "data",
                "publish.readonly-refuses-writes",
                "publish.reader-mode-refuses-writes",
                "publish.no-link",
                "publish.mounts",
                "walk.lifecycle");
        try (FakeCsiPlugin plugin = plugin(FakeCapability.csi113())
                .stateDir(directory.resolve("state"))
                .build()) {
            plugin.startOn("unix://" + directory.resolve("p.sock"));
            ConformanceReport report = kit(plugin.endpoint(), directory)
                    .only(data)
                    .expectMounts(true)
                    .size(1 << 20)
                    .build()
                    .run();
            requireClean(report, plugin);
            assertThat(report.count(CheckOutcome.PASSED))
                    .isEqualTo(report.results().size());
        } finally {
            Machine.cleanUp(directory);
        }
    }

    @TestFactory
    Stream<DynamicNode> checksCanRunAsJUnitTests() {
        FakeCsiPlugin plugin = plugin(FakeCapability.csi113()).build().startInProcess();
        return kit("in-process:" + plugin.inProcessName(), directory)
                .only(List.of("R89", "create.same-name"))
                .skip(List.of("data", "restart"))
                .build()
                .tests()
                .onClose(plugin::close);
    }
}
