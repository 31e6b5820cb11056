package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Valid and invalid responses of a plugin. */
class PluginResponsesTest {
    private static final int BIG = 20 << 20;

    @TempDir
    Path directory;

    private Path socket;
    private PluginServer server;
    private CsiClient client;

    @BeforeEach
    void start() throws Exception {
        socket = directory.resolve("x.sock");
        server = PluginServer.start(socket, call -> {});
        client = CsiClient.builder(Endpoint.unix(socket))
                .plugin("hostpath")
                .retries(RetryOptions.none())
                .volumeOrder(VolumeOrder.unordered())
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void outcomeForEachRpcAndStatusCodeFollowsCallRules() {
        for (Rpc rpc : Rpc.values()) {
            for (StatusCode code : StatusCode.values()) {
                if (code == StatusCode.OK) {
                    continue;
                }
                server.behave(
                        call -> call.end(Status.fromCodeValue(code.number()).withDescription("for a reason")));
                for (boolean continues : new boolean[] {false, true}) {
                    CsiCallException failure = Wire.failure(client.calls()
                            .unary(
                                    // Sends the same request for all RPCs, because only the mapping of the status is
                                    // tested.
                                    CsiRequest.empty(),
                                    new RpcCall<>(
                                            rpc,
                                            IdentityGrpc.getGetPluginInfoMethod(),
                                            GetPluginInfoRequest.getDefaultInstance(),
                                            "vol-1",
                                            SensitiveValues::none,
                                            continues),
                                    Function.identity()));
                    assertThat(failure.rpc()).isEqualTo(rpc);
                    assertThat(failure.code()).isEqualTo(code);
                    assertThat(failure.outcome()).isEqualTo(CallOutcome.of(rpc, code, continues));
                    assertThat(failure.plugin()).isEqualTo("hostpath");
                    assertThat(failure.volume()).contains("vol-1");
                    assertThat(failure.getMessage())
                            .startsWith(rpc.csiName() + " for vol-1 at plugin hostpath failed (" + code
                                    + "): the plugin says: for a reason. ")
                            .endsWith(".");
                    assertThat(failure.getCause()).isNull();
                }
            }
        }
    }

    @Test
    void conflictErrorContainsVolumeAndPath() {
        server.behave(call -> call.end(Status.ALREADY_EXISTS.withDescription("staged otherwise")));
        CsiCallException failure = Wire.failure(client.node()
                .nodeStageVolume(NodeStageVolumeRequest.builder(
                                ExternalVolumeId.of("vol-1"),
                                "/staging/vol-1",
                                VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                        .build()));
        assertThat(failure)
                .hasMessageStartingWith("NodeStageVolume for vol-1 on /staging/vol-1 at plugin hostpath failed"
                        + " (ALREADY_EXISTS): the plugin says: staged otherwise. ");
    }

    @Test
    void notFoundErrorSaysWhatWasNotFound() {
        server.behave(call -> call.end(Status.NOT_FOUND.withDescription("not found")));
        CsiCallException failure = Wire.failure(client.controller()
                .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.builder(
                                ExternalVolumeId.of("vol-1"), ExternalNodeId.of("i-0123"))
                        .build()));
        assertThat(failure)
                .hasMessageStartingWith(
                        "ControllerUnpublishVolume for vol-1 on i-0123 at plugin hostpath failed (NOT_FOUND): ")
                .hasMessageEndingWith("The plugin knows no such volume, or no such node; verify at the storage provider"
                        + " that it exists, then call again with the same fields.");
        assertThat(failure.summary()).contains("vol-1 on i-0123", "no such volume, or no such node");

        assertThat(Wire.failure(Wire.createVolume(client)))
                .hasMessageContaining("The plugin knows no such source (snapshot or volume) of the new volume;");
    }

    @Test
    void listPageLongerThanRequestedIsReturnedCompletely() {
        server.behave(call -> {
            var page = io.csi4j.proto.csi.v1.ListVolumesResponse.newBuilder().setNextToken("more");
            for (int i = 0; i < 5; i++) {
                page.addEntries(io.csi4j.proto.csi.v1.ListVolumesResponse.Entry.newBuilder()
                        .setVolume(io.csi4j.proto.csi.v1.Volume.newBuilder().setVolumeId("vol-" + i)));
            }
            call.ok(page.build());
        });
        ListVolumesResponse page = Wire.get(client.controller()
                .listVolumes(ListVolumesRequest.builder().maxEntries(2).build()));
        assertThat(page.entries())
                .extracting(entry -> entry.volume().volumeId().value())
                .containsExactly("vol-0", "vol-1", "vol-2", "vol-3", "vol-4");
        assertThat(page.nextToken()).isEqualTo("more");
    }

    @Test
    void errorForTooLargeResponseContainsLimitAndSetting() {
        server.behave(call -> call.ok(Wire.info("x".repeat(BIG))));

        CsiCallException reading = Wire.failure(Wire.getPluginInfo(client));
        assertThat(reading.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(reading.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(reading).hasMessageContaining("16777216").hasMessageContaining("Raise maxInboundMessageSize");

        CsiCallException changing = Wire.failure(Wire.createVolume(client));
        assertThat(changing.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(changing.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(changing).hasMessageContaining("16777216").hasMessageContaining("Raise maxInboundMessageSize");

        server.behave(call -> {
            call.wire().setCompression("gzip");
            call.ok(Wire.info("x".repeat(BIG)));
        });
        assertThat(Wire.failure(Wire.createVolume(client)))
                .hasMessageContaining("16777216")
                .extracting(CsiCallException::outcome)
                .isEqualTo(CallOutcome.OUTCOME_UNKNOWN);

        try (CsiClient generous = CsiClient.builder(Endpoint.unix(socket))
                .maxInboundMessageSize(32 << 20)
                .build()) {
            // The message arrives, and its field has a limit of its own.
            assertThat(Wire.failure(Wire.getPluginInfo(generous)))
                    .hasMessageContaining("name has " + BIG + " bytes, and at most 63 are accepted (R19)");
        }
    }

    @Test
    void resourceExhaustedFromPluginIsNotReportedAsTooLargeResponse() {
        server.behave(call -> {
            call.headers();
            call.end(Status.RESOURCE_EXHAUSTED.withDescription("gRPC message exceeds maximum size 16777216: 20971520"));
        });
        CsiCallException failure = Wire.failure(Wire.createVolume(client));
        assertThat(failure.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(failure).hasMessageContaining("the plugin says: gRPC message exceeds");
    }

    @Test
    void unknownEnumNumbersAndFieldsAreKept() throws Exception {
        server.behave(call -> call.ok(capabilityFromTheFuture()));
        ControllerGetCapabilitiesResponse answer = Wire.get(client.calls()
                .unary(
                        CsiRequest.empty(),
                        RpcCall.plain(
                                Rpc.CONTROLLER_GET_CAPABILITIES,
                                ControllerGrpc.getControllerGetCapabilitiesMethod(),
                                ControllerGetCapabilitiesRequest.getDefaultInstance()),
                        Function.identity()));
        ControllerServiceCapability.RPC rpc = answer.getCapabilities(0).getRpc();
        assertThat(rpc.getType()).isEqualTo(ControllerServiceCapability.RPC.Type.UNRECOGNIZED);
        assertThat(rpc.getTypeValue()).isEqualTo(4711);
        assertThat(answer.getUnknownFields().hasField(99)).isTrue();
    }

    /** Returns an encoded response with capabilities[0].rpc.type = 4711 and an unknown field 99. */
    private static byte[] capabilityFromTheFuture() {
        try {
            ByteArrayOutputStream rpc = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(rpc);
            out.writeEnum(1, 4711);
            out.flush();
            ByteArrayOutputStream capability = new ByteArrayOutputStream();
            out = CodedOutputStream.newInstance(capability);
            out.writeByteArray(1, rpc.toByteArray());
            out.flush();
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            out = CodedOutputStream.newInstance(message);
            out.writeByteArray(1, capability.toByteArray());
            out.writeString(99, "from the future");
            out.flush();
            return message.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void responseWithWrongContentTypeFailsWithStatusInternal() {
        server.behave(call -> call.ok(ByteString.fromHex("0aff").toByteArray()));
        CsiCallException failure = Wire.failure(Wire.createVolume(client));
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(failure)
                .hasMessageContaining("no valid answer from unix://" + socket)
                .hasNoCause();
    }

    @Test
    void successStatusWithNoOrTwoResponsesFailsAsUnusable() {
        server.behave(call -> {
            call.headers();
            call.end(Status.OK);
        });
        CsiCallException none = Wire.failure(Wire.createVolume(client));
        assertThat(none.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(none).hasMessageContaining("its answer cannot be used: it is missing");
        server.behave(call -> {
            call.headers();
            call.send(new byte[0]);
            call.send(new byte[0]);
            call.end(Status.OK);
        });
        CsiCallException two = Wire.failure(Wire.createVolume(client));
        assertThat(two.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(two).hasMessageContaining("its answer cannot be used: there is more than one");
    }

    @Test
    void callFailsIfDecoderThrowsAndTextOfUnexpectedExceptionIsHidden() {
        server.behave(call -> call.ok(CreateVolumeResponse.getDefaultInstance()));
        RpcCall<CreateVolumeRequest, CreateVolumeResponse> call = RpcCall.about(
                "pvc-1",
                Rpc.CREATE_VOLUME,
                ControllerGrpc.getCreateVolumeMethod(),
                CreateVolumeRequest.getDefaultInstance(),
                SensitiveValues::none);

        CsiCallException refused = Wire.failure(client.calls().unary(CsiRequest.empty(), call, answer -> {
            throw new UnusableAnswerException("volume.volume_id is empty");
        }));
        assertThat(refused.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(refused.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(refused).hasMessageContaining("volume.volume_id is empty");

        CsiCallException fault = Wire.failure(client.calls().unary(CsiRequest.empty(), call, answer -> {
            throw new IllegalArgumentException("hunter2 from the publish context");
        }));
        assertThat(fault.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(fault)
                .hasStackTraceContaining("PluginResponsesTest")
                .hasMessageContaining("IllegalArgumentException");
        assertThat(fault.getCause()).isNotNull();
        assertThat(fault.getCause().getMessage()).doesNotContain("hunter2");
        assertThat(fault.getMessage()).doesNotContain("hunter2");
    }

    @Test
    void longErrorTextIsTruncatedAndStatusCodeIsKept() {
        server.behave(call -> call.end(Status.FAILED_PRECONDITION.withDescription("a".repeat(100 << 10))));
        CsiCallException failure = Wire.failure(Wire.createVolume(client));
        assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
        assertThat(failure.getMessage()).hasSizeLessThan(2_000).contains("aaa... (cut; it had 102400 characters)");
    }

    @Test
    void controlCharactersInErrorTextAreEscaped() {
        server.behave(call -> call.end(Status.NOT_FOUND.withDescription(
                "line\nnext\r\u001b[2Jclear\u0000 \u202eright to left \u00e9\ud83d\ude00")));
        assertThat(Wire.failure(Wire.createVolume(client)).getMessage())
                .contains("line\\nnext\\r\\u001B[2Jclear\\u0000 \\u202Eright to left \u00e9\ud83d\ude00");
    }

    @Test
    void sensitiveValuesInErrorTextAreRemoved() {
        String secret = "s3cr3t/with+signs";
        CreateVolumeRequest request = CreateVolumeRequest.newBuilder()
                .setName("pvc-1")
                .putSecrets("password", secret)
                .putSecrets("pin", "77")
                .putParameters("tier", "gold-plated")
                .putParameters("mode", "rw")
                .build();
        String encoded = Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8));
        server.behave(call -> call.end(Status.INVALID_ARGUMENT.withDescription(
                "bad login " + secret + " (" + encoded + ") 1772 on gold-plated disk, mode rw, forward")));
        assertThat(Wire.failure(Wire.createVolume(client, request)).getMessage())
                .contains("bad login [hidden] ([hidden]")
                .contains("1772 on [hidden] disk, mode [hidden], forward")
                .doesNotContain(secret);
    }
}
