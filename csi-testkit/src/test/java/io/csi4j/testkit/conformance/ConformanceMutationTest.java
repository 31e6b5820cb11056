package io.csi4j.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.FakeStorage;
import io.csi4j.testkit.Machine;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.conformance.Defect.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Breaks the rules one by one: each planted defect is found by the check that is named for it. */
class ConformanceMutationTest {
    private static final Path PAGE = Path.of("../docs/conformance-mutations.md");

    @TempDir
    static Path directory;

    private static List<Defect> all() {
        List<Defect> all = new ArrayList<>(ControllerDefects.all());
        all.addAll(NodeDefects.all());
        all.addAll(LifeDefects.all());
        all.addAll(RefusalDefects.all());
        all.addAll(DataDefects.all());
        return all;
    }

    @TestFactory
    Stream<DynamicTest> eachPlantedDefectIsFoundByItsCheck() {
        return all().stream()
                .map(defect -> DynamicTest.dynamicTest(defect.check() + ": " + defect.text(), () -> verify(defect)));
    }

    private static void verify(Defect defect) throws Exception {
        FakeStorage storage = FakeStorage.inMemory();
        if (defect.variant() == Variant.REAL_MOUNTS) {
            Machine.assumeRoot();
            storage = FakeStorage.inDirectory(Files.createTempDirectory(directory, "state"), 1L << 30);
        }
        try (FaultyFake fake = new FaultyFake(
                capabilities(defect.variant()),
                storage,
                defect.behaviour().get(),
                defect.streamed(),
                defect.variant() == Variant.RESTART_FORGETS)) {
            CheckResult result = run(fake, defect).results().get(0);
            assertThat(result.outcome()).as("%s %s", result, result.exchanges()).isEqualTo(defect.outcome());
            assertThat(result.findings())
                    .as("a finding with the rule that the defect breaks: %s", result)
                    .anyMatch(finding -> finding.rule().equals(defect.rule())
                            && finding.failure() == (defect.outcome() == CheckOutcome.FAILED));
        } finally {
            if (defect.variant() == Variant.REAL_MOUNTS) {
                Machine.cleanUp(directory);
            }
        }
    }

    private static ConformanceReport run(FaultyFake fake, Defect defect) {
        CsiConformanceBuilder builder = CsiConformance.builder(fake.endpoint())
                .workDir(directory)
                .block(defect.variant() == Variant.BLOCK)
                .mutableParameters(Map.of("iops", "3000"))
                .otherNode("node-2")
                .timeout(Duration.ofSeconds(10))
                .only(Set.of(defect.check()))
                .skip(others(defect.check()));
        switch (defect.variant()) {
            case INFEASIBLE -> builder.infeasibleParameters(Map.of("csi4j-unknown-key", "1"));
            case EXPECT_MOUNTS -> builder.expectMounts(true);
            case REAL_MOUNTS -> builder.expectMounts(true).size(1 << 20);
            case TWO_ENDPOINTS -> builder.controllerEndpoint(fake.soundEndpoint());
            case SHORT_TIMEOUT -> builder.timeout(Duration.ofMillis(300));
            case RESTART_KEEPS, RESTART_FORGETS -> builder.restart(fake::restart);
            case SECRETS ->
                builder.secrets(Map.of("password", "correct-horse"))
                        .secretsRequired(Set.of(
                                "CreateVolume",
                                "DeleteVolume",
                                "ControllerPublishVolume",
                                "NodeStageVolume",
                                "NodePublishVolume",
                                "CreateSnapshot",
                                "ControllerExpandVolume",
                                "ControllerModifyVolume"));
            default -> {
                // The other variants differ in their capabilities only.
            }
        }
        return builder.build().run();
    }

    /** Checks whose id only begins with the wanted one. */
    private static List<String> others(String check) {
        return CsiConformance.allChecks().stream()
                .map(CheckInfo::id)
                .filter(id -> id.startsWith(check) && !id.equals(check))
                .toList();
    }

    private static Set<FakeCapability> capabilities(Variant variant) {
        if (variant == Variant.NO_LISTS) {
            return FakeCapability.without(FakeCapability.csi113(), FakeCapability.LIST_VOLUMES);
        }
        if (variant != Variant.OFFLINE) {
            return FakeCapability.csi113();
        }
        Set<FakeCapability> offline = FakeCapability.without(FakeCapability.csi113(), FakeCapability.ONLINE_EXPANSION);
        offline.add(FakeCapability.OFFLINE_EXPANSION);
        return offline;
    }

    @Test
    void atLeastEightyDefectsViolateSpecificationRequirements() {
        assertThat(all().stream().filter(defect -> defect.outcome() == CheckOutcome.FAILED))
                .hasSizeGreaterThanOrEqualTo(80);
        assertThat(all().stream().map(defect -> defect.check() + defect.text())).doesNotHaveDuplicates();
    }

    @Test
    void eachCheckAndEachRuleHasDefect() {
        Set<String> checks = all().stream().map(Defect::check).collect(Collectors.toSet());
        assertThat(CsiConformance.allChecks().stream().map(CheckInfo::id))
                .as("checks without a planted defect")
                .allMatch(checks::contains);
        Set<String> rules = all().stream().map(Defect::rule).collect(Collectors.toSet());
        assertThat(CsiConformance.allChecks().stream().flatMap(check -> check.rules().stream()))
                .as("rules without a planted defect")
                .allMatch(rules::contains);
    }

    @Test
    void documentedTableListsEachDefect() throws IOException {
        if (Boolean.getBoolean("csi4j.write.docs")) {
            Files.writeString(PAGE, page());
        }
        assertThat(Files.readString(PAGE))
                .as("docs/conformance-mutations.md; write it again with -Dcsi4j.write.docs=true")
                .isEqualTo(page());
    }

    private static String page() {
        Set<String> checks = all().stream().map(Defect::check).collect(Collectors.toCollection(TreeSet::new));
        Set<String> rules = all().stream().map(Defect::rule).collect(Collectors.toCollection(HashSet::new));
        StringBuilder page = new StringBuilder("""
                # Planted defects of the conformance kit

                The build plants each of these defects into a plugin that keeps the rules otherwise, and runs the check that is named for
                it: the check must find the defect, and quote this rule. A defect against a recommendation gives a warning. [conformance.md](conformance.md)
                describes the kit. This page is generated by `ConformanceMutationTest`.

                """);
        page.append(String.format(
                Locale.ROOT,
                "%d defects, %d rules, %d checks.%n%n| Check | Rule | Defect | Result |%n|---|---|---|---|%n",
                all().size(),
                rules.size(),
                checks.size()));
        all().forEach(defect -> page.append("| `")
                .append(defect.check())
                .append("` | ")
                .append(defect.rule())
                .append(" | ")
                .append(defect.text())
                .append(" | ")
                .append(defect.outcome() == CheckOutcome.FAILED ? "fails" : "warns")
                .append(" |\n"));
        return page.toString();
    }
}
