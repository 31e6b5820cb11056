package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs the examples of the README, which are the code of this test. */
class SchedulerExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    /** A strong reference, because the handlers of an unreferenced logger are lost. */
    private static final Logger CSI4J = Logger.getLogger("io.csi4j");

    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(String.valueOf(entry.getMessage()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void watchLog() {
        CSI4J.addHandler(handler);
    }

    @AfterEach
    void simulationsWriteNoLineToTheLogAndLeaveItsLevel() {
        CSI4J.removeHandler(handler);
        assertThat(logged).isEmpty();
        assertThat(CSI4J.getLevel()).isNull();
    }

    @Test
    void levelThatIsSetForTheLogStays() {
        CSI4J.setLevel(Level.INFO);
        try {
            LifecycleSimulation.ofDefaults().run(1);
            assertThat(CSI4J.getLevel()).isEqualTo(Level.INFO);
            assertThat(logged).isNotEmpty();
            logged.clear();
        } finally {
            CSI4J.setLevel(null);
        }
    }

    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void readmeExamplesEqualCodeInThisTest() throws IOException {
        String code =
                squeezed(Files.readString(Path.of("src/test/java/io/csi4j/simulation/SchedulerExampleTest.java")));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("README.md")));
        int count = 0;
        while (examples.find()) {
            assertThat(code).as("%s", examples.group(1)).contains(squeezed(examples.group(1)));
            count++;
        }
        assertThat(count).isEqualTo(3);
    }

    private static Optional<NodeId> firstFit(PlacementRequest request, StateReader state) {
        return FeasibleNodes.in(state).onAll(request.namespace(), request.claims()).stream()
                .filter(NodeAnswer::admitted)
                .map(NodeAnswer::nodeId)
                .findFirst();
    }

    @Test
    void simulationPassesIfPlacementUsesFeasibleNodes() {
        PlacementPolicy scheduler =
                (request, state) -> FeasibleNodes.in(state).onAll(request.namespace(), request.claims()).stream()
                        .filter(NodeAnswer::admitted)
                        .map(NodeAnswer::nodeId)
                        .findFirst();
        LifecycleSimulation simulation =
                LifecycleSimulation.builder().nodes(4).placement(scheduler).build();
        SimulationSummary summary = simulation.runAll(1, 100);
        summary.failure().ifPresent(report -> {
            throw new AssertionError(report + "\n" + report.diagram());
        });
        assertThat(summary.seeds()).isEqualTo(100);
        assertThat(summary.calls()).isPositive();
    }

    @Test
    void simulationRunsWorkloadsSuppliedByScheduler() {
        WorkloadSource source = (volumes, random) -> {
            var volume = volumes.get(random.nextInt(volumes.size()));
            var capability = volume.spec().requestedCapabilities().get(0);
            return new SimulatedWorkload(
                    List.of(ClaimRequest.writing(volume.key(), capability)), Duration.ofSeconds(30));
        };
        SimulationReport report = LifecycleSimulation.builder()
                .workloads(50)
                .workloadSource(source)
                .build()
                .run(4711);
        assertThat(report.ok()).as("%s%n%s", report, report.diagram()).isTrue();
        assertThat(report.covered()).contains("operation claim");
        assertThat(report.diagram()).startsWith("sequenceDiagram");
    }

    @Test
    void simulationPassesIfLoopDrainsNode() {
        SchedulerLoop drain = cluster -> {
            for (RunningWorkload workload : cluster.running()) {
                if (workload.node().equals(NodeId.of("n1"))) {
                    cluster.end(workload.allocation());
                    var replacement = new SimulatedWorkload(workload.claims(), Duration.ofSeconds(30));
                    cluster.start(replacement, NodeId.of("n2"));
                }
            }
        };
        LifecycleSimulation simulation =
                LifecycleSimulation.builder().loop(drain).build();
        SimulationSummary summary = simulation.runAll(1, 20);
        summary.failure().ifPresent(report -> {
            throw new AssertionError(report + "\n" + report.diagram());
        });
        assertThat(simulation.run(1).diagram() + simulation.run(2).diagram())
                .contains("ends a")
                .contains("starts loop-");
    }

    /** The workload with the greater id has the lower priority. */
    @Test
    void simulationPassesIfLoopPreemptsWorkloadsAtRandom() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .loop(cluster -> {
                    List<RunningWorkload> running = cluster.running();
                    if (running.size() > 2 && cluster.random().nextBoolean()) {
                        RunningWorkload victim = running.get(running.size() - 1);
                        cluster.end(victim.allocation());
                        var again = new SimulatedWorkload(victim.claims(), Duration.ofSeconds(20));
                        assertThat(cluster.state().nodes()).isNotEmpty();
                        cluster.start(again, running.get(0).node());
                    }
                })
                .build();
        SimulationSummary summary = simulation.runAll(1, 20);
        summary.failure().ifPresent(report -> {
            throw new AssertionError(report + "\n" + report.diagram());
        });
        assertThat(simulation.run(3)).isEqualTo(simulation.run(3));
    }

    @Test
    void mistakesOfLoopAreReported() {
        assertThat(violationsOf(cluster -> {
                    throw new IllegalStateException("no queue");
                }))
                .contains("loop: it threw java.lang.IllegalStateException: no queue");
        assertThat(violationsOf(cluster -> cluster.end(AllocationId.of("nothing"))))
                .contains("no workload nothing runs");
        assertThat(violationsOf(cluster -> cluster.running().stream()
                        .findFirst()
                        .ifPresent(first -> cluster.start(
                                new SimulatedWorkload(first.claims(), Duration.ofSeconds(1)), NodeId.of("nowhere")))))
                .contains("there is no node nowhere");
        assertThat(violationsOf(cluster -> cluster.running().stream()
                        .findFirst()
                        .ifPresent(first -> {
                            for (int i = 0; i < 30; i++) {
                                cluster.start(
                                        new SimulatedWorkload(first.claims(), Duration.ofSeconds(1)), first.node());
                            }
                        })))
                .contains("has started 20 workloads in one turn");
    }

    private static String violationsOf(SchedulerLoop loop) {
        SimulationReport report =
                LifecycleSimulation.builder().loop(loop).build().run(1);
        assertThat(report.ok()).isFalse();
        return report.violations().get(0);
    }

    @Test
    void placementOnUnknownNodeIsReported() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .placement((request, state) -> Optional.of(NodeId.of("nowhere")))
                .build();
        assertThat(simulation.run(1).violations()).anyMatch(text -> text.contains("nowhere, which is no node"));
    }

    @Test
    void placementThatIgnoresTopologyIsReported() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .placement((request, state) -> {
                    NodeAnswer first =
                            FeasibleNodes.in(state).on(request.namespace(), NodeId.of("n1"), request.claims());
                    return first.never() ? Optional.of(first.nodeId()) : firstFit(request, state);
                })
                .build();
        SimulationSummary summary = simulation.runAll(1, 200);
        assertThat(summary.failure().orElseThrow().violations())
                .anyMatch(text -> text.startsWith("placement: ") && text.contains("can never take"));
    }

    @Test
    void exceptionOfPlacementIsReportedWithItsSeed() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .placement((request, state) -> {
                    throw new IllegalStateException("no score for " + request.allocation());
                })
                .build();
        SimulationReport report = simulation.runAll(7, 1).failure().orElseThrow();
        assertThat(report.violations().get(0))
                .startsWith("placement: it threw java.lang.IllegalStateException: no score for a")
                .contains("SchedulerExampleTest.java:");
        assertThat(report.toString()).contains("seed 7");
    }

    @Test
    void exceptionOfWorkloadSourceIsReportedWithItsSeed() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .workloadSource((volumes, random) -> {
                    throw new IllegalStateException("no more workloads");
                })
                .build();
        assertThat(simulation.run(7).violations().get(0)).startsWith("workload source: it threw");
    }

    @Test
    void placementThatStarvesWorkloadIsReported() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .placement((request, state) ->
                        request.allocation().value().equals("a1") ? Optional.empty() : firstFit(request, state))
                .build();
        assertThat(simulation.runAll(1, 50).failure().orElseThrow().violations())
                .anyMatch(text -> text.startsWith("placement: a1 starves"));
    }

    @Test
    void placementThatPrefersNodeWhereClaimsWaitIsReported() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .placement((request, state) ->
                        FeasibleNodes.in(state).onAll(request.namespace(), request.claims()).stream()
                                .filter(answer -> !answer.never())
                                .min(Comparator.comparing(NodeAnswer::admitted))
                                .map(NodeAnswer::nodeId))
                .build();
        assertThat(simulation.runAll(1, 50).failure().orElseThrow().violations())
                .anyMatch(text -> text.startsWith("placement: ") && text.contains("cannot take its claims now"));
    }

    @Test
    void placementIsCalledAgainWhileNoNodeFits() {
        int[] asked = new int[1];
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .workloads(3)
                .placement((request, state) -> asked[0]++ < 10 ? Optional.empty() : firstFit(request, state))
                .build();
        assertThat(simulation.run(1).ok()).isTrue();
        assertThat(asked[0]).isGreaterThan(10);
    }
}
