package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.PluginSnapshot;
import io.csi4j.client.registry.instance.PluginState;
import io.csi4j.client.registry.internal.connection.CapabilityCache;
import io.csi4j.client.registry.internal.connection.ConnectionRules;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.RpcQuestions;
import io.csi4j.client.registry.internal.connection.SocketPoller;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.core.spi.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One connection with virtual time and a scripted plugin. */
class PluginConnectionTest {
    private static final ConnectionOptions OPTIONS = ConnectionOptions.ofDefaults();

    private final VirtualTime time = VirtualTime.inOrder();
    private final HostThreads threads = new HostThreads(time);
    private final ScriptedPlugin plugin = new ScriptedPlugin(time);
    private final RegistryEnvironment environment = threads.environment(1);
    private final List<PluginSnapshot> published = new ArrayList<>();
    private final CapabilityCache cache =
            new CapabilityCache(() -> time.elapsed().toNanos());
    private final CsiClient client = ScriptedPlugin.unused();
    private final PluginConnection connection = connect(PluginType.MONOLITH);

    private PluginConnection connect(PluginType type) {
        InstanceKey key = new InstanceKey(
                NodeId.of("node-1"), PluginId.of("p"), type, Optional.of(AllocationId.of("alloc-" + type)));
        return new PluginConnection(
                new ConnectionSetup(
                        PluginRegistration.of(key, Path.of("/run/p.sock")),
                        client,
                        new RpcQuestions(plugin.services(), type, cache),
                        new ConnectionRules(OPTIONS),
                        environment),
                Optional.empty(),
                published::add);
    }

    private void start(PluginConnection started) {
        started.start(new SocketPoller(environment, OPTIONS.socketPollInterval(), path -> plugin.socket));
        time.run();
    }

    @AfterEach
    void end() {
        client.close();
    }

    private PluginState state() {
        return connection.snapshot().state();
    }

    private void seconds(double seconds) {
        time.advance(Duration.ofMillis((long) (seconds * 1000)));
    }

    private void becomeReady() {
        start(connection);
        plugin.listen();
        seconds(1);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void pluginIsReadyWithinOneSecondAfterItsSocketAppears() {
        start(connection);
        seconds(20);
        assertThat(state()).isEqualTo(PluginState.CONNECTING);
        assertThat(plugin.calls).isEmpty();

        plugin.listen();
        seconds(1);

        assertThat(state()).isEqualTo(PluginState.READY);
        assertThat(plugin.calls)
                .containsExactly(
                        Rpc.PROBE,
                        Rpc.GET_PLUGIN_INFO,
                        Rpc.GET_PLUGIN_CAPABILITIES,
                        Rpc.CONTROLLER_GET_CAPABILITIES,
                        Rpc.NODE_GET_CAPABILITIES,
                        Rpc.NODE_GET_INFO);
        InstanceFacts facts = connection.snapshot().facts().orElseThrow();
        assertThat(facts.vendorVersion()).isEqualTo("1.0");
        assertThat(facts.nodeInfo().orElseThrow().maxVolumesPerNode()).isEqualTo(7);
        assertThat(connection.snapshot().serves(PluginRole.CONTROLLER)).isTrue();
        assertThat(connection.snapshot().serves(PluginRole.NODE)).isTrue();
    }

    @Test
    void startingPluginIsNotReportedAsUnhealthy() {
        plugin.ready = false;
        start(connection);
        plugin.listen();
        seconds(30);

        assertThat(published).extracting(PluginSnapshot::state).doesNotContain(PluginState.DEGRADED);
        assertThat(connection.snapshot().state()).isEqualTo(PluginState.PROBING);
        assertThat(connection.snapshot().description()).isEqualTo("it is still starting");

        plugin.ready = true;
        seconds(6);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void pluginThatFailsProbeIsUnhealthy() {
        plugin.fail(Rpc.PROBE, StatusCode.FAILED_PRECONDITION);
        start(connection);
        plugin.listen();
        seconds(1);

        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        assertThat(connection.snapshot().description()).contains("FAILED_PRECONDITION");
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {
                "PROBE",
                "GET_PLUGIN_INFO",
                "GET_PLUGIN_CAPABILITIES",
                "CONTROLLER_GET_CAPABILITIES",
                "NODE_GET_CAPABILITIES",
                "NODE_GET_INFO"
            })
    void failedQueryKeepsEarlierFacts(Rpc rpc) {
        becomeReady();
        InstanceFacts reported = connection.snapshot().facts().orElseThrow();
        plugin.fail(rpc, StatusCode.INTERNAL);
        plugin.listen(); // it was restarted, so that all is asked again
        seconds(1);

        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        assertThat(connection.snapshot().facts()).contains(reported);

        plugin.recover();
        seconds(10);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void failedRefreshOfFactsKeepsPluginReady() {
        becomeReady();
        InstanceFacts reported = connection.snapshot().facts().orElseThrow();
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.INTERNAL);
        time.advance(OPTIONS.factsInterval().plusSeconds(40));

        assertThat(plugin.count(Rpc.NODE_GET_INFO)).isGreaterThan(1);
        assertThat(state()).isEqualTo(PluginState.READY);
        assertThat(connection.snapshot().facts()).contains(reported);
        assertThat(connection.snapshot().description()).contains("NodeGetInfo");
    }

    @Test
    void newProcessAtSocketPathIsQueriedWithinOneSecond() {
        becomeReady();
        plugin.version = "1.0";
        plugin.nodeCapabilities = List.of(NodeCapability.EXPAND_VOLUME);
        plugin.nodeId = "n-2";
        plugin.services = List.of(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        plugin.calls.clear();
        seconds(3);

        plugin.listen();
        seconds(1);

        assertThat(state()).isEqualTo(PluginState.READY);
        assertThat(connection.snapshot().process()).isEqualTo(2);
        InstanceFacts facts = connection.snapshot().facts().orElseThrow();
        assertThat(facts.capabilities().has(NodeCapability.EXPAND_VOLUME)).isTrue();
        assertThat(facts.nodeInfo().orElseThrow().externalNodeId().value()).isEqualTo("n-2");
        // The later process of the same version has other capabilities, so it was queried itself instead of using the
        // cache.
        assertThat(facts.capabilities().has(PluginService.CONTROLLER_SERVICE)).isFalse();
        assertThat(connection.snapshot().serves(PluginRole.CONTROLLER)).isFalse();
        assertThat(connection.snapshot().serves(PluginRole.NODE)).isTrue();
    }

    @Test
    void killedPluginIsDetectedByProbeAndReadyAfterRestart() {
        becomeReady();
        plugin.kill();
        seconds(17);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        seconds(300); // the pauses between attempts have grown as far as they grow

        plugin.listen();
        seconds(1);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void pluginReportedAsSuspectIsProbedAtOnce() {
        becomeReady();
        seconds(2);
        plugin.kill();
        connection.suspect();
        seconds(0.1);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
    }

    @Test
    void probesKeepMinimumSpacingIfPluginIsReportedSuspectRepeatedly() {
        becomeReady();
        for (int i = 0; i < 1_000; i++) {
            connection.suspect();
            seconds(0.01);
        }
        assertThat(plugin.probes.size()).isLessThanOrEqualTo(1 + 11 * 2);
        spaced();
    }

    private void spaced() {
        for (int i = 1; i < plugin.probes.size(); i++) {
            assertThat(plugin.probes.get(i) - plugin.probes.get(i - 1))
                    .isGreaterThanOrEqualTo(OPTIONS.probeSpacing().toNanos());
        }
    }

    @Test
    void probesKeepMinimumSpacingWhileSocketChangesRepeatedly() {
        start(connection);
        for (int i = 0; i < 400; i++) {
            plugin.listen();
            seconds(0.1);
        }
        assertThat(plugin.probes.size()).isBetween(10, 81);
        spaced();
    }

    @Test
    void pluginWithDeletedSocketStaysReadyWhileItAnswers() {
        becomeReady();
        SocketFile file = plugin.socket;
        plugin.socket = SocketFile.ABSENT;
        plugin.hangs = true;
        seconds(1);
        assertThat(plugin.open).hasSize(1);
        plugin.hangs = false;
        plugin.open.get(0).complete(new ProbeResponse(true));
        time.run();
        assertThat(state()).isEqualTo(PluginState.READY);
        assertThat(connection.snapshot().description()).contains("its socket is gone");

        plugin.remove();
        seconds(20);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        int calls = plugin.calls.size();
        seconds(100);
        assertThat(plugin.calls).hasSize(calls);

        plugin.socket = file;
        plugin.dead = false;
        seconds(1);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void exceededStartUpAndLivenessLimitsAreReportedSeparatelyAndOnce() {
        start(connection);
        seconds(59);
        assertThat(connection.snapshot().exceeded()).isEmpty();
        seconds(2);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.START_UP);

        plugin.listen();
        seconds(1);
        assertThat(connection.snapshot().exceeded()).isEmpty();
        plugin.fail(Rpc.PROBE, StatusCode.INTERNAL);
        seconds(17);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        seconds(57);
        assertThat(connection.snapshot().exceeded()).isEmpty();
        seconds(4);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.LIVENESS);
        published.clear();
        seconds(300);
        assertThat(published).isEmpty();
    }

    @Test
    void pluginRestartedAfterLivenessLimitGetsFullStartUpTime() {
        becomeReady();
        plugin.fail(Rpc.PROBE, StatusCode.INTERNAL);
        seconds(80);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.LIVENESS);
        plugin.recover();
        plugin.ready = false;
        seconds(6);
        assertThat(state()).isEqualTo(PluginState.PROBING);
        assertThat(connection.snapshot().exceeded()).isEmpty();

        seconds(30);
        // A failed probe does not extend the limit.
        plugin.fail(Rpc.PROBE, StatusCode.INTERNAL);
        seconds(10);
        plugin.recover();
        seconds(10);
        assertThat(connection.snapshot().exceeded()).isEmpty();
        seconds(11);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.START_UP);
    }

    @Test
    void pluginThatRestartsUnnoticedGetsFullStartUpTime() {
        becomeReady();
        plugin.remove();
        connection.restarted();
        seconds(30);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        seconds(31);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.START_UP);

        plugin.listen();
        seconds(1);
        connection.restarted();
        seconds(20);
        plugin.kill();
        seconds(80);
        assertThat(connection.snapshot().exceeded())
                .as("the plugin recovered before this failure")
                .contains(ExceededLimit.LIVENESS);
    }

    @Test
    void factsAreReadAgainAfterPluginWasUnreachable() {
        becomeReady();
        plugin.kill();
        seconds(17);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        plugin.dead = false;
        plugin.maxVolumes = 3;
        plugin.nodeCapabilities = List.of(NodeCapability.EXPAND_VOLUME);
        seconds(6);
        assertThat(state()).isEqualTo(PluginState.READY);
        InstanceFacts facts = connection.snapshot().facts().orElseThrow();
        assertThat(facts.nodeInfo().orElseThrow().maxVolumesPerNode()).isEqualTo(3);
        assertThat(facts.capabilities().has(NodeCapability.EXPAND_VOLUME)).isTrue();
        int asked = plugin.calls.size();
        seconds(60);
        assertThat(plugin.calls.subList(asked, plugin.calls.size())).containsOnly(Rpc.PROBE);
    }

    @Test
    void newPluginProcessThatHangsExceedsStartUpLimit() {
        becomeReady();
        plugin.hangs = true;
        plugin.listen();
        seconds(70);
        assertThat(state()).isEqualTo(PluginState.CONNECTING);
        assertThat(connection.snapshot().exceeded()).contains(ExceededLimit.START_UP);
        assertThat(plugin.inFlight).isEqualTo(1);
    }

    @Test
    void abandonedQueryIsCancelledBeforeNextQueryIsSent() {
        start(connection);
        plugin.hangs = true;
        for (int i = 0; i < 20; i++) {
            plugin.listen();
            seconds(3);
            assertThat(plugin.inFlight).isEqualTo(1);
        }
        assertThat(plugin.open.stream().filter(each -> each.isCancelled())).hasSize(19);
    }

    @Test
    void lateResponseOfOldProcessIsIgnored() {
        start(connection);
        plugin.hangs = true;
        plugin.listen();
        seconds(1);
        var late = plugin.open.get(0);
        plugin.ready = false;
        plugin.hangs = false;
        plugin.listen();
        seconds(1);
        late.complete(new ProbeResponse(true));
        time.run();
        assertThat(state()).isEqualTo(PluginState.PROBING);
    }

    @Test
    void capabilitiesAreQueriedOncePerPluginVersion() {
        becomeReady();
        plugin.calls.clear();
        PluginConnection second = connect(PluginType.NODE);
        start(second);
        seconds(1);
        assertThat(second.snapshot().state()).isEqualTo(PluginState.READY);
        assertThat(plugin.calls)
                .containsExactly(Rpc.PROBE, Rpc.GET_PLUGIN_INFO, Rpc.NODE_GET_CAPABILITIES, Rpc.NODE_GET_INFO);

        plugin.version = "1.1";
        plugin.calls.clear();
        PluginConnection third = connect(PluginType.CONTROLLER);
        start(third);
        seconds(1);
        assertThat(plugin.calls).contains(Rpc.GET_PLUGIN_CAPABILITIES);
    }

    @Test
    void eachNewConnectionToPluginWithoutVersionQueriesCapabilities() {
        plugin.version = "";
        becomeReady();
        plugin.calls.clear();
        start(connect(PluginType.NODE));
        seconds(1);
        assertThat(plugin.calls).contains(Rpc.GET_PLUGIN_CAPABILITIES);
    }

    @Test
    void nodePluginWithoutNodeGetInfoBecomesReady() {
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.UNIMPLEMENTED);
        becomeReady();
        assertThat(connection.snapshot().facts().orElseThrow().nodeInfo()).isEmpty();
    }

    @Test
    void closedConnectionSendsNoQueriesAndNoReports() {
        becomeReady();
        connection.close();
        time.run();
        assertThat(state()).isEqualTo(PluginState.GONE);
        assertThat(plugin.closed).isEqualTo(1);
        published.clear();
        plugin.calls.clear();
        plugin.listen();
        long fired = time.fired();
        seconds(1000);
        connection.suspect();
        time.run();
        assertThat(published).isEmpty();
        assertThat(plugin.calls).isEmpty();
        assertThat(time.fired() - fired).isLessThanOrEqualTo(1);
    }

    @Test
    void socketsOfFiftyPluginsAreCheckedByOneTimer() {
        List<PluginConnection> connections = new ArrayList<>();
        SocketPoller query = new SocketPoller(environment, OPTIONS.socketPollInterval(), path -> plugin.socket);
        plugin.listen();
        for (int i = 0; i < 50; i++) {
            PluginConnection each = connect(PluginType.NODE);
            connections.add(each);
            each.start(query);
        }
        seconds(5);
        assertThat(connections).allMatch(each -> each.snapshot().ready());
        published.clear();
        plugin.calls.clear();
        long before = time.fired();
        seconds(300);

        long fired = time.fired() - before;
        System.out.println("PluginConnectionTest: 50 ready plugins, 300 s: " + fired + " timers, " + plugin.calls.size()
                + " calls");
        // Expects one check of all sockets every 250 ms, and for each plugin a probe at most every 13.5 s.
        assertThat(fired).isLessThanOrEqualTo(300 * 4 + 50 * 23);
        assertThat(Stream.of(Rpc.values())
                        .filter(rpc -> rpc != Rpc.PROBE)
                        .mapToLong(plugin::count)
                        .sum())
                .isZero();
        assertThat(plugin.calls.size()).isBetween(50 * 17, 50 * 23);
        assertThat(published).isEmpty();
    }

    private long room() {
        return connection
                .snapshot()
                .facts()
                .flatMap(InstanceFacts::nodeInfo)
                .orElseThrow()
                .maxVolumesPerNode();
    }

    private CompletableFuture<Void> refresh() {
        CompletableFuture<Void> refreshed = connection.refreshNodeInfo();
        time.run();
        return refreshed;
    }

    private static StatusCode code(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return ((CsiCallException) Futures.unwrap(
                        failed.handle((reported, failure) -> failure).join()))
                .code();
    }

    @Test
    void refreshFailsIfHostHasEndedItsThreads() {
        becomeReady();
        assertThat(refresh()).isCompleted();
        CompletableFuture<Void> soon = refresh();
        assertThat(soon).isNotDone();
        threads.ended = true;

        CompletableFuture<Void> late = connection.refreshNodeInfo();

        assertThat(code(late)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(code(soon)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(late).failsWithin(Duration.ZERO).withThrowableThat().withMessageContaining("rejects tasks");
        assertThat(code(connection.refreshNodeInfo())).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void queryThatCannotBeSentIsRetried() {
        becomeReady();
        plugin.unaskable = new NoClassDefFoundError("of the transport");
        seconds(17);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        plugin.unaskable = null;
        seconds(6);
        assertThat(state()).isEqualTo(PluginState.READY);
    }

    @Test
    void closingConnectionClosesClientEvenIfHostHasEndedItsThreads() {
        becomeReady();
        threads.ended = true;
        connection.close();
        assertThat(state()).isEqualTo(PluginState.GONE);
        assertThat(plugin.closed).isEqualTo(1);
    }

    @Test
    void refreshOfNodeInfoCallsOnlyNodeGetInfo() {
        becomeReady();
        plugin.calls.clear();
        published.clear();
        plugin.maxVolumes = 9;
        plugin.nodeCapabilities = List.of();
        assertThat(refresh()).isCompleted();
        assertThat(plugin.calls).containsExactly(Rpc.NODE_GET_INFO);
        assertThat(room()).isEqualTo(9);
        assertThat(published).hasSize(1);
        assertThat(connection.snapshot().facts().orElseThrow().capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME))
                .as("facts that are not queried stay unchanged")
                .isTrue();
    }

    @Test
    void refreshRequestedTooSoonIsMadeAfterMinimumSpacing() {
        becomeReady();
        plugin.calls.clear();
        for (int i = 0; i < 300; i++) {
            var unused = refresh();
            seconds(0.1);
        }
        assertThat(plugin.count(Rpc.NODE_GET_INFO)).isBetween(3L, 4L);
        plugin.maxVolumes = 3;
        CompletableFuture<Void> last = refresh();
        assertThat(last).isNotDone();
        seconds(10);
        assertThat(last).isCompleted();
        assertThat(room()).isEqualTo(3);
        long asked = plugin.count(Rpc.NODE_GET_INFO);
        seconds(100);
        assertThat(plugin.count(Rpc.NODE_GET_INFO)).isEqualTo(asked);
    }

    @Test
    void unansweredNodeGetInfoKeepsFactsAndTriggersProbe() {
        becomeReady();
        seconds(3);
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.UNAVAILABLE);
        long probes = plugin.count(Rpc.PROBE);
        assertThat(code(refresh())).isEqualTo(StatusCode.UNAVAILABLE);
        seconds(0.1);
        assertThat(plugin.count(Rpc.PROBE)).isEqualTo(probes + 1);
        assertThat(state()).isEqualTo(PluginState.READY);
        assertThat(room()).isEqualTo(7);
    }

    @Test
    void refusedNodeGetInfoKeepsPluginReady() {
        becomeReady();
        published.clear();
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.INTERNAL);
        assertThat(code(refresh())).isEqualTo(StatusCode.INTERNAL);
        seconds(1);
        assertThat(published).isEmpty();
    }

    @Test
    void unsupportedNodeGetInfoKeepsFacts() {
        becomeReady();
        plugin.fail(Rpc.NODE_GET_INFO, StatusCode.UNIMPLEMENTED);
        assertThat(refresh()).isCompleted();
        assertThat(room()).isEqualTo(7);
    }

    @Test
    void concurrentRefreshesCauseOneQuery() {
        becomeReady();
        plugin.hangs = true;
        CompletableFuture<Void> first = refresh();
        CompletableFuture<Void> second = refresh();
        seconds(60);
        assertThat(plugin.inFlight).isEqualTo(1);
        assertThat(first).isNotDone();

        plugin.hangs = false;
        plugin.maxVolumes = 8;
        plugin.open
                .get(0)
                .completeExceptionally(ScriptedPlugin.failure(Rpc.NODE_GET_INFO, StatusCode.DEADLINE_EXCEEDED));
        seconds(1);
        assertThat(code(first)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(second).as("the later refresh has a query of its own").isCompleted();
        assertThat(room()).isEqualTo(8);
    }

    @Test
    void lateNodeGetInfoResponseOfOldProcessIsIgnored() {
        becomeReady();
        plugin.hangs = true;
        CompletableFuture<Void> refreshed = refresh();
        CompletableFuture<Void> another = refresh();
        var late = plugin.open.get(0);
        plugin.hangs = false;
        plugin.maxVolumes = 5;
        plugin.listen();
        seconds(1);
        assertThat(code(refreshed)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(code(another)).isEqualTo(StatusCode.UNAVAILABLE);
        late.complete(new NodeGetInfoResponse(ExternalNodeId.of("old"), 0, Optional.empty()));
        seconds(1);
        assertThat(room()).isEqualTo(5);
    }

    @Test
    void refreshOfUnreadyPluginIsMadeOncePluginIsReady() {
        start(connection);
        assertThat(code(refresh())).isEqualTo(StatusCode.UNAVAILABLE);
        becomeReady();
        plugin.fail(Rpc.PROBE, StatusCode.INTERNAL);
        seconds(17);
        assertThat(state()).isEqualTo(PluginState.DEGRADED);
        plugin.maxVolumes = 4;
        assertThat(code(refresh())).isEqualTo(StatusCode.UNAVAILABLE);
        plugin.recover();
        seconds(10);
        assertThat(room()).isEqualTo(4);

        connection.close();
        time.run();
        assertThat(code(refresh())).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void cancellingRefreshDoesNotCancelItForOtherCallers() {
        becomeReady();
        plugin.hangs = true;
        CompletableFuture<Void> first = refresh();
        first.cancel(false);
        plugin.open.get(0).complete(new NodeGetInfoResponse(ExternalNodeId.of("n-1"), 2, Optional.empty()));
        time.run();
        assertThat(room()).isEqualTo(2);
    }
}
