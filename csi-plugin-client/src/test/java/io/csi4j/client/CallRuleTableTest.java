package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Repeat;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks each RPC with each status code on a real socket: the exception of the caller, the number of attempts, and that all attempts have
 * identical bytes.
 */
class CallRuleTableTest {
    private static final int MAX_TRIES = 3;
    private static final RetryOptions FAST = RetryOptions.builder()
            .maxAttempts(MAX_TRIES)
            .initialBackoff(Duration.ofNanos(10_000))
            .maxBackoff(Duration.ofNanos(10_000))
            .build();

    @TempDir
    static Path directory;

    private static PluginServer server;

    @BeforeAll
    static void start() throws Exception {
        server = PluginServer.start(directory.resolve("x.sock"), call -> {});
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static CsiClient client(CallRules rules) {
        return CsiClient.builder(Endpoint.unix(directory.resolve("x.sock")))
                .rules(rules)
                .retries(FAST)
                .build();
    }

    static Stream<Arguments> cells() {
        return Stream.of(Rpc.values())
                .flatMap(rpc -> Stream.of(StatusCode.values()).map(code -> Arguments.of(rpc, code)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("cells")
    void everyCodeOfEveryRpcIsRetriedAndReportedByTheRules(Rpc rpc, StatusCode code) throws Exception {
        // List requests made by FilledRequests have the token of a next page.
        check(rpc, code, FilledRequests.of(rpc, 0), rpc.paged(), CallRules.defaults());
    }

    static Stream<Arguments> firstPages() {
        return Stream.of(
                Arguments.of(Rpc.LIST_VOLUMES, ListVolumesRequest.builder().build()),
                Arguments.of(Rpc.LIST_SNAPSHOTS, ListSnapshotsRequest.builder().build()),
                Arguments.of(
                        Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                        ControllerListVolumeHealthRequest.builder().build()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("firstPages")
    void abortedForFirstPageIsRetried(Rpc rpc, CsiRequest request) throws Exception {
        check(rpc, StatusCode.ABORTED, request, false, CallRules.defaults());
    }

    @Test
    void customCallRulesOverrideDefaults() throws Exception {
        CallRules own = CallRules.defaults()
                .with(
                        Rpc.CREATE_VOLUME,
                        StatusCode.RESOURCE_EXHAUSTED,
                        CallRule.here(CallOutcome.OUTCOME_UNKNOWN, "this provider throttles with it"))
                .with(
                        Rpc.CREATE_VOLUME,
                        StatusCode.UNAVAILABLE,
                        CallRule.never(CallOutcome.CHANGE_REQUEST, "this provider refuses zones with it"))
                .with(
                        Rpc.PROBE,
                        StatusCode.UNAVAILABLE,
                        CallRule.here(CallOutcome.OUTCOME_UNKNOWN, "this plugin blinks"));
        for (StatusCode code : StatusCode.values()) {
            check(Rpc.CREATE_VOLUME, code, FilledRequests.of(Rpc.CREATE_VOLUME, 0), false, own);
            check(Rpc.PROBE, code, FilledRequests.of(Rpc.PROBE, 0), false, own);
        }
    }

    private static void check(Rpc rpc, StatusCode code, CsiRequest request, boolean token, CallRules rules)
            throws Exception {
        CallRule rule = rules.of(rpc, code, token);
        Message answer = Filled.message(rpc.csiName() + "Response", 0);
        server.behave(call -> {
            if (code == StatusCode.OK) {
                call.ok(answer);
            } else {
                call.end(Status.fromCodeValue(code.number()).withDescription("no"));
            }
        });
        int before = server.calls();
        // Uses a new client for each case, because an unknown outcome of one case must not block the next case.
        try (CsiClient client = client(rules)) {
            Throwable failure = EveryRpc.call(client, rpc, request)
                    .orTimeout(20, TimeUnit.SECONDS)
                    .handle((value, thrown) -> thrown instanceof CompletionException ? thrown.getCause() : thrown)
                    .join();
            if (code == StatusCode.OK) {
                assertThat(failure).isNull();
            } else {
                assertThat(failure).isInstanceOfSatisfying(CsiCallException.class, reported -> {
                    assertThat(reported.outcome()).isEqualTo(rule.outcome());
                    assertThat(reported.code()).isEqualTo(code);
                });
            }
        }
        int tries = server.calls() - before;
        assertThat(tries).isEqualTo(rule.repeat() == Repeat.HERE ? MAX_TRIES : 1);
        Set<ByteString> bytes = new HashSet<>();
        for (int i = 0; i < tries; i++) {
            bytes.add(server.next().request());
        }
        assertThat(bytes).hasSize(1);
    }

    /** The RPCs that the library treats as having secrets are those with secret fields in the proto file (R36). */
    @ParameterizedTest
    @EnumSource
    void rpcTakesSecretsIfAndOnlyIfProtoFileHasSecretsField(Rpc rpc) {
        assertThat(rpc.takesSecrets())
                .isEqualTo(Filled.descriptor(rpc.csiName() + "Request").findFieldByName("secrets") != null);
    }

    /** A field of the CSI specification that has another name would never be found, and the calls would not wait. */
    @ParameterizedTest
    @EnumSource
    void fieldsThatNameTheObjectAndItsLocationExistInProtoFile(Rpc rpc) {
        Descriptor request = Filled.descriptor(rpc.csiName() + "Request");
        assertThat(rpc.subjectFields())
                .allSatisfy(field -> assertThat(request.findFieldByName(field)).isNotNull());
        assertThat(rpc.locationField().stream())
                .allSatisfy(field -> assertThat(request.findFieldByName(field)).isNotNull());
        if (request.findFieldByName("volume_id") != null) {
            assertThat(rpc.subjectFields()).containsExactly("volume_id");
        } else if (request.findFieldByName("name") != null) {
            assertThat(rpc.subjectFields()).containsExactly("name");
        }
    }
}
