package io.csi4j.testkit;

import static io.csi4j.testkit.VolumeCalls.failure;
import static io.csi4j.testkit.VolumeCalls.get;
import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.testkit.assertion.PluginAssert;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.CallResult;
import io.csi4j.testkit.history.CallTime;
import io.csi4j.testkit.history.Leak;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recorded calls, their queries and their assertions. */
class HistoryTest {
    private static final String NODE = "node-1";

    private final FakeCsiPlugin plugin =
            FakeCsiPlugin.builder().knownNode("node-2").build().startInProcess();
    private final VolumeCalls calls = VolumeCalls.once(plugin.endpoint());

    @BeforeEach
    void provision() {
        plugin.storage().provision("vol-1", 1 << 20);
        plugin.storage().provision("vol-2", 1 << 20);
    }

    @AfterEach
    void close() {
        calls.close();
        plugin.close();
    }

    @Test
    void historyRecordsNumberTimeVolumeNodeAndOutcomeOfCall() {
        Instant before = Instant.now();
        get(calls.publish("vol-1", NODE));
        failure(calls.publish("missing", NODE));
        List<CallRecord> recorded = plugin.history().calls();
        assertThat(recorded).extracting(CallRecord::number).containsExactly(1L, 2L);
        CallRecord first = recorded.get(0);
        assertThat(first.rpc()).isEqualTo(Rpc.CONTROLLER_PUBLISH_VOLUME);
        assertThat(first.volume()).contains("vol-1");
        assertThat(first.node()).contains(NODE);
        assertThat(first.succeeded()).isTrue();
        assertThat(first.withSecrets()).isFalse();
        assertThat(first.time().start()).isBetween(before, Instant.now());
        assertThat(first.time().end())
                .hasValueSatisfying(
                        end -> assertThat(end).isAfterOrEqualTo(first.time().start()));
        CallRecord second = recorded.get(1);
        assertThat(second.result().orElseThrow().code()).isEqualTo(StatusCode.NOT_FOUND);
        assertThat(second.result().orElseThrow().message()).contains("missing");
        assertThat(second.time().overlaps(first.time())).isFalse();
    }

    @Test
    void confidentialFieldsAreHidden() {
        get(calls.client
                .controller()
                .createVolume(CreateVolumeRequest.builder("data", List.of(VolumeCalls.WRITER))
                        .parameters(Map.of("pool", "canary-parameter"))
                        .secrets(Secrets.of(Map.of("password", "canary-secret")))
                        .build()));
        failure(calls.client
                .controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                ExternalVolumeId.of("vol-1"), ExternalNodeId.of(NODE), VolumeCalls.WRITER)
                        .volumeContext(VolumeContext.of(Map.of("key", "canary-context")))
                        .build()));
        CallRecord create = plugin.history().calls().get(0);
        assertThat(create.arguments())
                .containsEntry("name", "data")
                .containsEntry("secrets", "(hidden)")
                .containsEntry("parameters", "(hidden)");
        assertThat(create.withSecrets()).isTrue();
        assertThat(plugin.history().calls().get(1).arguments()).containsEntry("volume_context", "(hidden)");
        CallHistory history = plugin.history();
        assertThat(history.calls() + history.toTable() + history.toMermaid()).doesNotContain("canary");
        assertThat(history.calls().get(1).volumeContext()).containsExactly(Map.entry("key", "canary-context"));
        assertThat(plugin.secretsOfCalls()).containsExactly("canary-secret");
    }

    @Test
    void historyCanBeFilteredByVolumeNodeAndRpc() {
        String volume = calls.create("data");
        get(calls.publish(volume, NODE));
        get(calls.publish("vol-1", NODE));
        get(calls.client.identity().getPluginInfo());
        CallHistory history = plugin.history();
        assertThat(history.ofVolume(volume).calls())
                .extracting(CallRecord::rpc)
                .containsExactly(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME);
        assertThat(history.ofNode(NODE).calls()).hasSize(2);
        assertThat(history.of(Rpc.GET_PLUGIN_INFO, Rpc.CREATE_VOLUME).calls()).hasSize(2);
        assertThat(history.after(3).calls()).hasSize(1);
        assertThat(history.changing().calls()).hasSize(3);
        assertThat(history.failed().calls()).isEmpty();
        Instant second = history.calls().get(1).time().start();
        assertThat(history.between(second, Instant.now()).calls()).hasSizeBetween(3, 4);
        assertThat(history.last(Rpc.PROBE)).isEmpty();
    }

    @Test
    void limitedHistoryKeepsNewestCallsAndCountsDroppedCalls() {
        try (FakeCsiPlugin small =
                        FakeCsiPlugin.builder().recordedCalls(2).build().startInProcess();
                VolumeCalls toSmall = VolumeCalls.once(small.endpoint())) {
            for (int i = 0; i < 5; i++) {
                get(toSmall.client.identity().getPluginInfo());
            }
            assertThat(small.history().calls()).extracting(CallRecord::number).containsExactly(4L, 5L);
            assertThat(small.history().dropped()).isEqualTo(3);
            assertThat(small.history().toTable()).startsWith("(3 earlier calls are not kept)");
        }
    }

    @Test
    void overlappingCallsAreDetectedAndNamed() {
        Fault hang = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().hang();
        CompletableFuture<?> first = calls.publish("vol-1", NODE);
        hang.awaitUse(1, Duration.ofSeconds(20));
        get(calls.publish("vol-2", NODE));
        assertThat(plugin).sawNoConcurrentCallsPerVolume();
        get(calls.publish("vol-1", NODE));
        hang.remove();
        get(first);
        assertThatThrownBy(() -> assertThat(plugin).sawNoConcurrentCallsPerVolume())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "1 ControllerPublishVolume vol-1 on node-1: OK and 3 ControllerPublishVolume vol-1")
                .hasMessageContaining("#  start");
    }

    @Test
    void callOverSocketIsAnsweredWhileAnotherOneHangs(@TempDir Path directory) {
        try (FakeCsiPlugin onSocket = FakeCsiPlugin.builder()
                        .storage(plugin.storage())
                        .build()
                        .startOn("unix://" + directory.resolve("p.sock"));
                VolumeCalls toSocket = VolumeCalls.once(onSocket.endpoint())) {
            Fault hang = onSocket.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().hang();
            CompletableFuture<?> first = toSocket.publish("vol-1", NODE);
            hang.awaitUse(1, Duration.ofSeconds(20));
            get(toSocket.publish("vol-1", NODE));
            assertThat(first).isNotDone();
            hang.remove();
            get(first);
            assertThat(onSocket.history().overlaps()).hasSize(1);
        }
    }

    @Test
    void historyAssertionsPassIfCallerMakesCorrectCalls() {
        String volume = calls.create("data");
        get(calls.publishWithSecrets(volume, NODE));
        assertThat(plugin)
                .published(volume)
                .onNode(NODE)
                .published(volume)
                .onNodesOnly(NODE)
                .notPublished("vol-1")
                .saw(Rpc.CREATE_VOLUME)
                .saw(Rpc.CREATE_VOLUME, 1)
                .sawNo(Rpc.DELETE_VOLUME, Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                .sawSecretsOnlyIn(Rpc.CONTROLLER_PUBLISH_VOLUME)
                .sawInOrder(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME)
                .sawNoFailedCall()
                .usedAllFaults();
        get(calls.unpublish(volume, NODE));
        calls.delete(volume);
        assertThat(plugin).notPublished(volume).hasNoLeaks();
    }

    @Test
    void failedAssertionShowsReasonAndHistory() {
        String volume = calls.create("data");
        get(calls.publishWithSecrets(volume, "node-2"));
        failure(calls.publish("missing", NODE));
        plugin.onCall(Rpc.PROBE).hang();
        fails(
                () -> assertThat(plugin).published(volume).onNode(NODE),
                "published to node 'node-1', but it is to [node-2]");
        fails(() -> assertThat(plugin).published(volume).onNodesOnly(NODE, "node-2"), "but it is to [node-2]");
        fails(() -> assertThat(plugin).published("vol-2"), "volume 'vol-2' is published to a node, but it is not");
        fails(() -> assertThat(plugin).notPublished(volume), "is not published, but it is, to [node-2]");
        fails(() -> assertThat(plugin).saw(Rpc.DELETE_VOLUME), "expected a call of DeleteVolume");
        fails(() -> assertThat(plugin).saw(Rpc.CREATE_VOLUME, 2), "expected 2 calls of CreateVolume, but there were 1");
        fails(() -> assertThat(plugin).sawNo(Rpc.CREATE_VOLUME), "but there was call 1 CreateVolume");
        fails(() -> assertThat(plugin).sawSecretsOnlyIn(Rpc.CREATE_VOLUME), "but they came with 2 ControllerPublish");
        fails(() -> assertThat(plugin).sawSecretsOnlyIn(), "secrets in no call only");
        fails(
                () -> assertThat(plugin).sawInOrder(Rpc.CONTROLLER_PUBLISH_VOLUME, Rpc.CREATE_VOLUME),
                "but CreateVolume did not come after ControllerPublishVolume");
        fails(() -> assertThat(plugin).sawInOrder(Rpc.DELETE_VOLUME), "but DeleteVolume never came");
        fails(
                () -> assertThat(plugin).sawNoFailedCall(),
                "call 3 ControllerPublishVolume missing on node-1: NOT_FOUND");
        fails(() -> assertThat(plugin).usedAllFaults(), "these are not: on Probe hang");
        fails(() -> assertThat(plugin).hasNoLeaks(), "attachment '" + volume + "' at node-2 is left");
        fails(
                () -> assertThat(plugin.history().ofVolume(volume)).saw(Rpc.NODE_STAGE_VOLUME),
                "expected a call of NodeStageVolume");
    }

    private static CallRecord call(long number, Rpc rpc, String target, Map<String, String> context, StatusCode code) {
        return new CallRecord(
                number,
                rpc,
                Optional.of("vol-1"),
                Optional.of(NODE),
                target.isEmpty() ? Map.of() : Map.of("target_path", target),
                context,
                false,
                new CallTime(Instant.EPOCH, Optional.of(Instant.EPOCH), number * 2, number * 2 + 1),
                Optional.of(new CallResult(code, "")),
                Optional.empty());
    }

    private static PluginAssert after(CallRecord... calls) {
        CallHistory history = new CallHistory(List.of(calls), 0);
        return assertThat((ObservablePlugin) Proxy.newProxyInstance(
                HistoryTest.class.getClassLoader(),
                new Class<?>[] {ObservablePlugin.class},
                (proxy, method, arguments) -> history));
    }

    @Test
    void publishedVolumeIsComparedWithTheLastCallForEachTarget() {
        Map<String, String> context = Map.of("name", "web", "more", "x");
        CallRecord publish = call(1, Rpc.NODE_PUBLISH_VOLUME, "/a", context, StatusCode.OK);
        CallRecord other = call(2, Rpc.NODE_PUBLISH_VOLUME, "/b", Map.of("name", "canary"), StatusCode.OK);
        CallRecord refused = call(2, Rpc.NODE_PUBLISH_VOLUME, "/a", Map.of(), StatusCode.INTERNAL);
        CallRecord unpublish = call(3, Rpc.NODE_UNPUBLISH_VOLUME, "/b", Map.of(), StatusCode.OK);
        after(publish).published("vol-1").onNode(NODE).published("vol-1").withVolumeContext("name", "web");
        after(publish, refused).published("vol-1").withVolumeContext(context);
        after(publish, other, unpublish).published("vol-1").withVolumeContext(context);
        after(other, unpublish).notPublished("vol-1");
        after(publish, call(2, Rpc.CONTROLLER_UNPUBLISH_VOLUME, "", Map.of(), StatusCode.OK))
                .notPublished("vol-1");
        fails(() -> after(publish, other).published("vol-1").withVolumeContext("name", "web"), "call 2 had another");
        fails(() -> after(publish).published("vol-1").withVolumeContext("missing", "1"), "call 1 had no such key");
        fails(() -> after(publish, other).published("vol-1").withoutVolumeContext("more"), "but call 1 had it");
        fails(
                () -> after(call(1, Rpc.CONTROLLER_PUBLISH_VOLUME, "", Map.of(), StatusCode.OK))
                        .published("vol-1")
                        .withVolumeContext(context),
                "but it is at no target");
        after(publish, other).published("vol-1").withoutVolumeContext("missing");
        assertThatThrownBy(() -> after(publish, other).published("vol-1").withVolumeContext("name", "web"))
                .hasMessageNotContaining("canary");
    }

    private static void fails(Runnable assertion, String reason) {
        assertThatThrownBy(assertion::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("#  start");
    }

    @Test
    void leakReportContainsMissingCleanUpCall() {
        String volume = calls.create("data");
        get(calls.publish(volume, NODE));
        assertThat(plugin.leaks())
                .containsExactly(new Leak(Leak.Kind.ATTACHMENT, volume, NODE), new Leak(Leak.Kind.VOLUME, volume, ""))
                .extracting(Leak::toString)
                .first()
                .asString()
                .endsWith("ControllerUnpublishVolume is missing");
    }

    @Test
    void historyTableHasOneLinePerCall() {
        get(calls.publish("vol-1", NODE));
        plugin.onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME).failWith(StatusCode.UNAVAILABLE, "gone");
        failure(calls.unpublish("vol-1", NODE));
        assertThat(plugin.history().toTable().lines())
                .hasSize(3)
                .satisfiesExactly(
                        head -> assertThat(head).contains("call", "volume", "node", "outcome", "fault"),
                        publish -> assertThat(publish).matches("1 .* ControllerPublishVolume +vol-1 +node-1 +OK +-"),
                        unpublish -> assertThat(unpublish)
                                .matches("2 .* ControllerUnpublishVolume +vol-1 +node-1 +UNAVAILABLE: gone +on .*"));
        assertThat(CallHistory.none().toTable()).contains("(no calls)");
    }

    @Test
    void sequenceDiagramShowsRequestsAnswersAndLostReplies() {
        get(calls.publish("vol-1", NODE));
        plugin.onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME).once().loseReplyAfterEffect();
        CompletableFuture<Void> unpublish = calls.unpublish("vol-1", NODE);
        await(() -> plugin.storage().attachedNodes("vol-1").isEmpty());
        assertThat(unpublish).isNotDone();
        unpublish.cancel(true);
        await(() -> plugin.history().inFlight().calls().isEmpty());
        assertThat(plugin.history().toMermaid()).isEqualTo("""
                sequenceDiagram
                    participant caller
                    participant p1 as controller plugin
                    caller->>p1: 1 ControllerPublishVolume vol-1 to node-1
                    p1-->>caller: 1 OK
                    caller->>p1: 2 ControllerUnpublishVolume vol-1 to node-1
                    Note over p1: on ControllerUnpublishVolume times 1 lose-reply
                    p1--xcaller: 2 no answer, but it took effect
                """);
    }

    private void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(plugin.history().toTable()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void historiesOfTwoPluginsAreMergedByTime() {
        try (FakeCsiPlugin other =
                        FakeCsiPlugin.builder().nodeId("node-3").build().startInProcess();
                VolumeCalls toOther = VolumeCalls.once(other.endpoint())) {
            get(calls.client.identity().getPluginInfo());
            other.storage().provision("vol-9", 1 << 20);
            get(toOther.publish("vol-9", "node-3"));
            assertThat(CallHistory.merged(other.history(), plugin.history()).calls())
                    .extracting(CallRecord::rpc)
                    .containsExactly(Rpc.GET_PLUGIN_INFO, Rpc.CONTROLLER_PUBLISH_VOLUME);
        }
    }
}
