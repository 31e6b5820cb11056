package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reports of a node to the servers, with virtual time. */
class FingerprinterTest {
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    private final RegistryWorld world = new RegistryWorld(3);
    private final List<NodeFingerprint> sent = new ArrayList<>();
    private final List<CompletableFuture<Object>> open = new ArrayList<>();
    private boolean holding;
    private Optional<RuntimeException> refusal = Optional.empty();
    private Fingerprinter fingerprinter;

    private CompletableFuture<?> send(NodeFingerprint command) {
        sent.add(command);
        CompletableFuture<Object> answer = new CompletableFuture<>();
        if (holding) {
            open.add(answer);
        } else if (refusal.isPresent()) {
            answer.completeExceptionally(refusal.get());
        } else {
            answer.complete(command);
        }
        return answer;
    }

    private void start() {
        fingerprinter = Fingerprinter.start(world.registry, this::send, INTERVAL);
        world.time.run();
    }

    @AfterEach
    void end() {
        if (fingerprinter != null) {
            fingerprinter.close();
        }
        world.close();
    }

    private NodeFingerprint last() {
        return sent.get(sent.size() - 1);
    }

    private PluginInstance last(InstanceKey key) {
        return last().instances().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void readyInstanceIsReportedWithAllFacts() {
        InstanceKey key = world.ready("p", PluginType.MONOLITH, "a");
        start();
        PluginInstance reported = last(key);
        assertThat(reported.healthy()).isTrue();
        assertThat(reported.provider()).contains("scripted.csi4j.io");
        assertThat(reported.vendorVersion()).contains("1.0");
        assertThat(reported.capabilities().services()).isPresent();
        assertThat(reported.capabilities().controller()).isPresent();
        assertThat(reported.capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME))
                .isTrue();
        assertThat(reported.nodeInfo().orElseThrow().maxVolumesPerNode()).isEqualTo(7);
        assertThat(last().nodeId()).isEqualTo(RegistryWorld.NODE);
        assertThat(last().at()).isEqualTo(world.time.instant());
    }

    @Test
    void nodePluginReportHasNoControllerFacts() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        start();
        assertThat(last(key).capabilities().controller()).isEmpty();
        assertThat(last(key).capabilities().services()).isPresent();
    }

    @Test
    void changesAreReportedAtOnceAndUnchangedStateIsReportedPeriodically() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        start();
        assertThat(sent).hasSize(1);
        world.time.advance(Duration.ofMinutes(4));
        assertThat(sent).hasSize(1);
        world.time.advance(Duration.ofMinutes(96));
        assertThat(sent.size()).isBetween(18, 23);

        int before = sent.size();
        world.pluginOf(key).fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        world.registry.snapshot().instance(key).orElseThrow().connection().suspect();
        world.time.advance(Duration.ofMillis(600));
        assertThat(sent.size()).isEqualTo(before + 1);
        assertThat(last(key).healthy()).isFalse();
        assertThat(last(key).healthDescription()).contains("FAILED_PRECONDITION");
        // A failure of the plugin does not remove its known capabilities.
        assertThat(last(key).capabilities().node()).isPresent();
        assertThat(last(key).nodeInfo()).isPresent();
    }

    @Test
    void reportIntervalsVaryRandomly() {
        world.ready("p", PluginType.NODE, "a");
        start();
        world.time.advance(Duration.ofMinutes(60));
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < sent.size(); i++) {
            gaps.add(Duration.between(sent.get(i - 1).at(), sent.get(i).at()).toMillis());
        }
        assertThat(gaps).doesNotHaveDuplicates().allMatch(gap -> gap >= 270_000 && gap <= 330_000);
    }

    @Test
    void changesDuringReportAreInNextReport() {
        holding = true;
        start();
        assertThat(open).hasSize(1);
        for (int i = 0; i < 10; i++) {
            world.ready("p" + i, PluginType.NODE, "a");
        }
        assertThat(sent).hasSize(1);
        open.get(0).complete("done");
        world.time.run();
        assertThat(sent).hasSize(2);
        assertThat(last().instances()).hasSize(10).allMatch(PluginInstance::healthy);
    }

    @Test
    void reportTimesOutIfReceiverNeverAnswers() {
        holding = true;
        start();
        holding = false;
        world.time.advance(Duration.ofSeconds(40));
        assertThat(sent).hasSize(2);
        open.get(0).complete("late");
        world.time.run();
        assertThat(sent).hasSize(2);
    }

    @Test
    void reportNumbersKeepIncreasingAfterRestart() {
        world.ready("p", PluginType.NODE, "a");
        start();
        world.time.advance(Duration.ofMinutes(30));
        fingerprinter.close();
        world.time.advance(Duration.ofSeconds(1));
        start();
        world.time.advance(Duration.ofMinutes(30));
        assertThat(sent).hasSizeGreaterThan(8);
        assertThat(sent).extracting(NodeFingerprint::order).isSorted().doesNotHaveDuplicates();
        assertThat(sent.get(0).order()).isPositive();
    }

    @Test
    void reportsContinueAfterClockWasSetBack() {
        world.ready("p", PluginType.NODE, "a");
        long ahead = world.time.millis() + Duration.ofDays(4_000).toMillis();
        refusal = Optional.of(new RejectedException(new Rejection.FingerprintOutdated(RegistryWorld.NODE, 1, ahead)));
        start();
        refusal = Optional.empty();
        world.time.advance(Duration.ofSeconds(2));
        assertThat(sent).hasSize(2);
        assertThat(last().order()).isEqualTo(ahead + 1);
        assertThat(last().instances()).hasSize(1);
    }

    @Test
    void rejectedReportIsSentAgainCompletelyAfterBackoff() {
        world.ready("p", PluginType.NODE, "a");
        refusal = Optional.of(new IllegalStateException("no leader"));
        start();
        world.time.advance(Duration.ofMinutes(10));
        assertThat(sent.size()).isBetween(12, 40);
        assertThat(sent).allMatch(each -> each.instances().size() == 1);
        refusal = Optional.empty();
        world.time.advance(Duration.ofMinutes(1));
        int reported = sent.size();
        // At most four minutes have passed after the last report; the next one follows after four and a half minutes at
        // the earliest.
        world.time.advance(Duration.ofMinutes(3));
        assertThat(sent).hasSize(reported);
    }

    @Test
    void reportIsSentAgainIfReceiverThrows() {
        int[] calls = new int[1];
        Fingerprinter throwing = Fingerprinter.start(
                world.registry,
                command -> {
                    calls[0]++;
                    throw new IllegalStateException("a defect of the sink");
                },
                INTERVAL);
        world.time.advance(Duration.ofSeconds(30));
        assertThat(calls[0]).isGreaterThan(3);
        throwing.close();
        world.time.run();
        int before = calls[0];
        world.time.advance(Duration.ofMinutes(30));
        assertThat(calls[0]).isEqualTo(before);
    }

    @Test
    void endedPluginIsReportedUnhealthyUntilDeregistered() {
        InstanceKey dies = world.ready("p", PluginType.NODE, "dies");
        InstanceKey leaves = world.ready("p", PluginType.NODE, "leaves");
        start();
        world.pluginOf(dies).remove();
        world.time.advance(Duration.ofMinutes(3));
        assertThat(last(dies).healthy()).isFalse();
        assertThat(last(leaves).healthy()).isTrue();
        var unused = world.registry.deregister(leaves);
        world.time.run();
        assertThat(last().instances()).extracting(PluginInstance::key).containsExactly(dies);
    }

    @Test
    void restartingInstanceIsReportedWithItsLastFacts() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        start();
        world.pluginOf(key).ready = false;
        world.pluginOf(key).listen();
        world.time.advance(Duration.ofSeconds(5));
        assertThat(last(key).healthy()).isFalse();
        assertThat(last(key).healthDescription()).contains("starting");
        assertThat(last(key).nodeInfo()).isPresent();
    }

    @Test
    void incompleteRegistryReportsNothingUntilConfirmed() {
        InstanceKey known = world.ready("p", PluginType.NODE, "a");
        world.store.problem = Optional.of("the list was lost");
        world.restartHost();
        start();
        world.time.advance(Duration.ofMinutes(30));
        assertThat(sent).isEmpty();

        InstanceKey lost = world.ready("p", PluginType.NODE, "b");
        world.registry.confirmComplete();
        world.time.run();
        assertThat(last().instances()).extracting(PluginInstance::key).containsExactlyInAnyOrder(known, lost);
    }

    @Test
    void shutdownReportMarksAllInstancesUnhealthy() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        holding = true;
        start();
        CompletableFuture<Void> goodbye = fingerprinter.reportShutdown("the agent is stopping");
        world.time.run();
        assertThat(goodbye).isNotDone();
        holding = false;
        open.get(0).complete("done");
        world.time.run();

        assertThat(goodbye).isCompleted();
        assertThat(last(key).healthy()).isFalse();
        assertThat(last(key).healthDescription()).isEqualTo("the agent is stopping");
        assertThat(last(key).nodeInfo()).isPresent();
        int reported = sent.size();
        world.ready("q", PluginType.NODE, "b");
        world.time.advance(Duration.ofMinutes(60));
        assertThat(sent).hasSize(reported);
    }

    @Test
    void shutdownReportFutureCompletesIfHostHasEndedItsThreads() {
        world.ready("p", PluginType.NODE, "a");
        holding = true;
        start();
        CompletableFuture<Void> goodbye = fingerprinter.reportShutdown("the agent is stopping");
        world.time.run();
        world.threads.ended = true;
        open.get(0).complete("done");
        assertThat(Wait.failure(goodbye)).hasMessageContaining("rejects tasks");
        assertThat(Wait.failure(fingerprinter.reportShutdown("once more"))).hasMessageContaining("rejects tasks");
    }

    @Test
    void acknowledgedShutdownReportSucceedsIfHostHasEndedItsThreads() {
        world.ready("p", PluginType.NODE, "a");
        start();
        holding = true;
        CompletableFuture<Void> goodbye = fingerprinter.reportShutdown("the agent is stopping");
        world.time.run();
        holding = false;
        open.get(0).complete("done");
        world.threads.ended = true;
        world.time.run();
        assertThat(goodbye).isCompleted();
    }

    @Test
    void changedVolumeLimitIsReportedAtOnce() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        start();
        world.pluginOf(key).maxVolumes = 2;
        CompletableFuture<Void> asked = world.registry.refreshNodeInfo(PluginId.of("p"));
        world.time.run();
        assertThat(asked).isCompleted();
        assertThat(sent).hasSize(2);
        assertThat(last(key).nodeInfo().orElseThrow().maxVolumesPerNode()).isEqualTo(2);

        CompletableFuture<Void> again = world.registry.refreshNodeInfo(PluginId.of("p"));
        world.time.advance(Duration.ofSeconds(11));
        assertThat(again).isCompleted();
        assertThat(sent).as("unchanged node info is not sent again").hasSize(2);
    }

    @Test
    void questionsToMissingPluginFail() {
        world.ready("p", PluginType.CONTROLLER, "a");
        start();
        for (String absent : List.of("p", "q")) {
            assertThat(world.registry.refreshNodeInfo(PluginId.of(absent)))
                    .as("no node service of %s", absent)
                    .isCompletedExceptionally();
            assertThat(world.registry.pluginInfo(PluginId.of(absent)))
                    .as("no node service of %s", absent)
                    .isCompletedExceptionally();
        }
    }

    @Test
    void instanceIsUnprovedUntilItsFirstAnswer() {
        InstanceKey key = world.ready("p", PluginType.NODE, "a");
        InstanceKey silent = RegistryWorld.key("q", PluginType.NODE, "b");
        var unused = world.registry.register(RegistryWorld.registration(silent, 0));
        start();
        assertThat(last(key).proved()).isTrue();
        assertThat(last(silent).proved()).isFalse();
        assertThat(last(silent).healthy()).isFalse();
        assertThat(last(silent).healthDescription()).isNotEmpty();
        assertThat(last(silent).startedAt())
                .isEqualTo(
                        world.registry.snapshot().instance(silent).orElseThrow().registeredAt());

        world.pluginOf(silent).listen();
        world.time.advance(Duration.ofSeconds(5));
        assertThat(last(silent).proved()).isTrue();
        assertThat(last(silent).healthy()).isTrue();
        world.pluginOf(silent).fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        world.registry.snapshot().instance(silent).orElseThrow().connection().suspect();
        world.time.advance(Duration.ofSeconds(5));
        assertThat(last(silent).healthy()).isFalse();
        assertThat(last(silent).proved()).as("it has answered before").isTrue();
    }
}
