package io.csi4j.testkit;

import static io.csi4j.testkit.VolumeCalls.failure;
import static io.csi4j.testkit.VolumeCalls.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.WrongAnswer;
import io.csi4j.testkit.history.CallRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults as a client meets them: in process, and on a socket. */
@ParameterizedClass
@EnumSource(FaultsTest.Way.class)
class FaultsTest {
    /** The way from the client to the plugin. */
    enum Way {
        IN_PROCESS,
        SOCKET
    }

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String NODE = "node-1";

    @Parameter
    Way way;

    @TempDir
    Path directory;

    private final FakeCsiPlugin plugin =
            FakeCsiPlugin.builder().storage(FakeStorage.inMemory()).build();
    private final List<VolumeCalls> clients = new ArrayList<>();

    private void start() {
        if (way == Way.SOCKET) {
            plugin.startOn("unix://" + directory.resolve("p.sock"));
        } else {
            plugin.startInProcess();
        }
    }

    private VolumeCalls once() {
        return calls(false);
    }

    private VolumeCalls calls(boolean retrying) {
        plugin.storage().provision("vol-1", 1 << 20);
        plugin.storage().provision("vol-2", 1 << 20);
        if (!plugin.isServing()) {
            start();
        }
        VolumeCalls calls = retrying ? VolumeCalls.retrying(plugin.endpoint()) : VolumeCalls.once(plugin.endpoint());
        clients.add(calls);
        return calls;
    }

    @AfterEach
    void close() {
        clients.forEach(VolumeCalls::close);
        plugin.close();
    }

    private CallRecord last(Rpc rpc) {
        return plugin.history().last(rpc).orElseThrow();
    }

    @Test
    void clientRetriesUntilFaultRuleIsUsedUp() {
        VolumeCalls calls = calls(true);
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME)
                .forVolume("vol-1")
                .times(2)
                .failWith(StatusCode.UNAVAILABLE);
        get(calls.publish("vol-1", NODE));
        assertThat(fault.used()).isEqualTo(2);
        assertThat(plugin.history().of(Rpc.CONTROLLER_PUBLISH_VOLUME).calls())
                .extracting(call -> call.result().orElseThrow().code())
                .containsExactly(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE, StatusCode.OK);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
    }

    @Test
    void injectedFailureHasStatusCodeAndTextAndNoEffect() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).failWith(StatusCode.RESOURCE_EXHAUSTED, "the node is full");
        var failure = failure(calls.publish("vol-1", NODE));
        assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(failure).hasMessageContaining("the node is full");
        assertThat(plugin.storage().attachedNodes("vol-1")).isEmpty();
        assertThat(last(Rpc.CONTROLLER_PUBLISH_VOLUME).result().orElseThrow().message())
                .isEqualTo("the node is full");
    }

    @Test
    void ruleAffectsOnlyItsVolumeNodeAndRpc() {
        VolumeCalls calls = once();
        Fault volume =
                plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).forVolume("vol-2").failWith(StatusCode.INTERNAL);
        Fault node =
                plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).onNode("node-9").failWith(StatusCode.INTERNAL);
        Fault rpc = plugin.onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME).failWith(StatusCode.INTERNAL);
        get(calls.publish("vol-1", NODE));
        assertThat(List.of(volume.used(), node.used(), rpc.used())).containsOnly(0L);
        assertThat(failure(calls.publish("vol-2", NODE)).code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure(calls.unpublish("vol-1", NODE)).code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure(calls.publish("vol-1", "node-9")).code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(List.of(volume.used(), node.used(), rpc.used())).containsOnly(1L);
    }

    @Test
    void firstMatchingRuleThatIsNotUsedUpApplies() {
        VolumeCalls calls = once();
        Fault first =
                plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).skip(1).once().failWith(StatusCode.ABORTED);
        Fault second = plugin.onAnyCall().forVolume("vol-1").times(2).failWith(StatusCode.INTERNAL);
        assertThat(plugin.faults()).containsExactly(first, second);
        List<StatusCode> codes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            codes.add(failure(calls.publish("vol-1", NODE)).code());
        }
        assertThat(codes).containsExactly(StatusCode.INTERNAL, StatusCode.ABORTED, StatusCode.INTERNAL);
        get(calls.publish("vol-1", NODE));
    }

    @Test
    void removedRuleHasNoFurtherEffect() {
        VolumeCalls calls = once();
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).failWith(StatusCode.INTERNAL);
        failure(calls.publish("vol-1", NODE));
        fault.remove();
        get(calls.publish("vol-1", NODE));
        assertThat(fault.used()).isEqualTo(1);
        assertThat(plugin.faults()).isEmpty();
    }

    @Test
    void callWithDelayFaultLastsAtLeastItsDelay() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).delay(SHORT);
        get(calls.publish("vol-1", NODE));
        assertThat(last(Rpc.CONTROLLER_PUBLISH_VOLUME).time().duration().orElseThrow())
                .isGreaterThanOrEqualTo(SHORT.minusMillis(20));
    }

    @Test
    void hangingCallEndsWithItsDeadlineAndHasNoEffect() {
        VolumeCalls calls = once();
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).hang();
        var failure = failure(calls.within(SHORT).publish("vol-1", NODE));
        assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        // The end of the first call reaches the plugin before the next call.
        get(calls.client.identity().getPluginInfo());
        fault.remove();
        assertThat(plugin.storage().attachedNodes("vol-1")).isEmpty();
        assertThat(last(Rpc.CONTROLLER_PUBLISH_VOLUME).result()).isEmpty();
    }

    @Test
    void hangingCallContinuesWhenRuleIsRemoved() {
        VolumeCalls calls = once();
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).hang();
        CompletableFuture<?> publishing = calls.publish("vol-1", NODE);
        fault.awaitUse(1, LONG);
        assertThat(plugin.storage().attachedNodes("vol-1")).isEmpty();
        assertThat(plugin.history().inFlight().calls()).hasSize(1);
        fault.remove();
        get(publishing);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
    }

    @Test
    void replayAfterLostReplySucceeds() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().loseReplyAfterEffect();
        assertThat(failure(calls.within(Duration.ofSeconds(2)).publish("vol-1", NODE))
                        .code())
                .isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
        assertThat(last(Rpc.CONTROLLER_PUBLISH_VOLUME).succeeded()).isTrue();
        get(calls.publish("vol-1", NODE));
        assertThat(plugin.overlappingCalls()).isZero();
        assertThat(plugin.history().overlaps()).isEmpty();
    }

    @Test
    void clientRetriesCallWithConnectionDroppedBeforeEffect() {
        VolumeCalls calls = calls(true);
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().dropConnectionBeforeEffect();
        get(calls.publish("vol-1", NODE));
        assertThat(fault.used()).isEqualTo(1);
        assertThat(plugin.history().of(Rpc.CONTROLLER_PUBLISH_VOLUME).calls()).hasSize(2);
        assertThat(plugin.history().calls().get(0).result()).isEmpty();
    }

    @Test
    void callWithConnectionDroppedAfterEffectFailsAsUnavailable() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().dropConnectionAfterEffect();
        var failure = failure(calls.publish("vol-1", NODE));
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
        get(calls.publish("vol-1", NODE));
    }

    @Test
    void crashStopsPluginUntilItIsStartedAgain() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().crashAfterEffect();
        assertThat(failure(calls.publish("vol-1", NODE)).code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(plugin.isServing()).isFalse();
        assertThat(plugin.awaitStop(LONG)).isTrue();
        start();
        assertThat(plugin.awaitStop(Duration.ZERO)).isFalse();
        get(calls.publish("vol-1", NODE));
        plugin.onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME).once().crashBeforeEffect();
        assertThat(failure(calls.unpublish("vol-1", NODE)).code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
    }

    @Test
    void crashedPluginAcceptsNoConnection() {
        for (int round = 0; round < 20; round++) {
            VolumeCalls calls = once();
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().crashBeforeEffect();
            failure(calls.publish("vol-1", NODE));
            assertThat(directory.resolve("p.sock")).doesNotExist();
            assertThat(plugin.awaitStop(LONG)).isTrue();
        }
    }

    @Test
    void injectedWrongResponsesReachCaller() {
        VolumeCalls calls = once();
        Fault empty = plugin.onCall(Rpc.GET_PLUGIN_INFO).answerWrong(WrongAnswer.EMPTY);
        assertThat(failure(calls.client.identity().getPluginInfo())).hasMessageContaining("name");
        empty.remove();
        Fault undecodable = plugin.onCall(Rpc.GET_PLUGIN_INFO).answerWrong(WrongAnswer.UNDECODABLE);
        failure(calls.client.identity().getPluginInfo());
        undecodable.remove();
        Fault unknown = plugin.onCall(Rpc.GET_PLUGIN_INFO).answerWrong(WrongAnswer.UNKNOWN_FIELDS);
        assertThat(get(calls.client.identity().getPluginInfo()).name()).isEqualTo("fake.csi4j.io");
        assertThat(unknown.used()).isEqualTo(1);
        plugin.onCall(Rpc.CREATE_VOLUME).answerWrong(WrongAnswer.OTHER_IDS);
        assertThat(calls.create("data")).startsWith("other-than-");
    }

    @Test
    void clientRefusesResponsesWithFieldsBeyondTheirLimits() {
        VolumeCalls calls = once();
        Fault ids = plugin.onCall(Rpc.CREATE_VOLUME).answerWrong(WrongAnswer.LONG_IDS);
        assertThat(failure(calls.creating("data"))).hasMessageContaining("volume.volumeId has ");
        ids.remove();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).answerWrong(WrongAnswer.LARGE_CONTEXTS);
        assertThat(failure(calls.publish("vol-1", NODE)))
                .hasMessageContaining("publishContext has 51")
                .hasMessageContaining("at most 4096");
        plugin.onCall(Rpc.NODE_GET_INFO).answerWrong(WrongAnswer.LARGE_TOPOLOGY);
        assertThat(failure(calls.client.node().nodeGetInfo()))
                .hasMessageContaining("accessibleTopology.segments has 5242");
    }

    @Test
    void listsNeverEndOnRequest() {
        VolumeCalls calls = once();
        Fault same = plugin.onCall(Rpc.LIST_VOLUMES).answerWrong(WrongAnswer.SAME_TOKEN);
        assertThat(tokens(calls)).containsExactly("same", "same", "same");
        same.remove();
        plugin.onCall(Rpc.LIST_VOLUMES).answerWrong(WrongAnswer.NEW_TOKENS);
        assertThat(tokens(calls)).doesNotHaveDuplicates().doesNotContain("");
    }

    /** Returns the next tokens of three pages, each of which is requested with the token of the one before. */
    private static List<String> tokens(VolumeCalls calls) {
        List<String> tokens = new ArrayList<>();
        String token = "";
        for (int page = 0; page < 3; page++) {
            token = get(calls.client
                            .controller()
                            .listVolumes(ListVolumesRequest.builder()
                                    .startingToken(token)
                                    .build()))
                    .nextToken();
            tokens.add(token);
        }
        return tokens;
    }

    @Test
    void clientRefusesOversizedResponseOverSocket() {
        VolumeCalls calls = once();
        Fault fault = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().answerOversized();
        if (way == Way.SOCKET) {
            assertThat(failure(calls.publish("vol-1", NODE)).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        } else {
            get(calls.publish("vol-1", NODE));
        }
        assertThat(fault.used()).isEqualTo(1);
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
    }

    @Test
    void answerWithoutEffectIsAnswerOfSuccessAndChangesNothing() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().answerWithoutEffect();
        get(calls.publish("vol-1", NODE));
        assertThat(plugin.storage().attachedNodes("vol-1")).isEmpty();
        assertThat(plugin.history().toTable()).contains("ControllerPublishVolume");
        get(calls.publish("vol-1", NODE));
        assertThat(plugin.storage().attachedNodes("vol-1")).containsExactly(NODE);
    }

    @Test
    void linkReplacesTargetOfPublishOnly() {
        assertThatThrownBy(() -> plugin.onCall(Rpc.NODE_STAGE_VOLUME).linkTarget(Path.of("/etc")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("make the rule for NodePublishVolume");
    }

    @Test
    void clientHidesSecretsThatPluginEchoes() {
        VolumeCalls calls = once();
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).failEchoingSecrets();
        var failure = failure(calls.publishWithSecrets("vol-1", NODE));
        assertThat(failure).hasMessageContaining("refused the login");
        assertThat(failure.getMessage()).doesNotContain(VolumeCalls.PASSWORD);
        assertThat(plugin.history().toTable()).doesNotContain(VolumeCalls.PASSWORD);
    }

    @Test
    void sameSeedGivesSameFaults() {
        VolumeCalls calls = once();
        List<List<Boolean>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            Fault fault = plugin.onCall(Rpc.GET_PLUGIN_INFO)
                    .withProbability(0.5)
                    .seed(7)
                    .failWith(StatusCode.INTERNAL);
            runs.add(IntStream.range(0, 20)
                    .mapToObj(i -> calls.client
                            .identity()
                            .getPluginInfo()
                            .handle((info, failure) -> failure != null)
                            .join())
                    .toList());
            fault.remove();
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1)).contains(true, false);
    }

    @Test
    void waitForUnusedFaultFailsWithErrorThatContainsRule() {
        Fault fault = plugin.onCall(Rpc.DELETE_VOLUME).hang();
        assertThatThrownBy(() -> fault.awaitUse(1, Duration.ofMillis(10)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("on DeleteVolume hang")
                .hasMessageContaining("was used 0 times");
    }
}
