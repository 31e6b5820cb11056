package io.csi4j.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CreatedVolumeException;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exceptions for statuses of gRPC, without a connection. */
class StatusMapperTest {
    private static final String AGAIN = ", then call again with the same fields.";
    private static final String NOT_SENT =
            "The call was not sent, so it changed nothing: call again with the same fields once the plugin serves.";
    private static final String UNKNOWN_PUBLISH =
            "Whether it took effect is unknown, and may change yet: call again with the same fields, or undo it with"
                    + " NodeUnpublishVolume.";

    private static final RpcCall<NodePublishVolumeRequest, ?> PUBLISH = RpcCall.about(
            "vol-1",
            Rpc.NODE_PUBLISH_VOLUME,
            NodeGrpc.getNodePublishVolumeMethod(),
            NodePublishVolumeRequest.newBuilder()
                    .setVolumeId("vol-1")
                    .setTargetPath("/t")
                    .putSecrets("password", "hunter2-hunter2")
                    .build(),
            () -> SensitiveValues.none().add("hunter2-hunter2"));
    private static final RpcCall<NodeGetVolumeStatsRequest, ?> STATS = RpcCall.about(
            "vol-1",
            Rpc.NODE_GET_VOLUME_STATS,
            NodeGrpc.getNodeGetVolumeStatsMethod(),
            NodeGetVolumeStatsRequest.getDefaultInstance(),
            SensitiveValues::none);

    @TempDir
    Path directory;

    private final Endpoint endpoint = Endpoint.loopback("tcp://127.0.0.1:9");
    private final StatusMapper mapper = mapper(endpoint);

    private static StatusMapper mapper(Endpoint endpoint) {
        return new StatusMapper("ebs", endpoint, CallRules.defaults(), 1_000);
    }

    private static CallTrace trace(boolean sent, boolean answered) {
        CallTrace trace = new CallTrace();
        ClientStreamTracer tracer = trace.newClientStreamTracer(
                ClientStreamTracer.StreamInfo.newBuilder().build(), new Metadata());
        assertThat(trace.sent()).isFalse();
        assertThat(trace.answered()).isFalse();
        if (sent) {
            tracer.outboundHeaders();
        }
        if (answered) {
            tracer.inboundTrailers(new Metadata());
        }
        assertThat(trace.sent()).isEqualTo(sent);
        assertThat(trace.answered()).isEqualTo(answered);
        return trace;
    }

    private CsiCallException failed(RpcCall<?, ?> call, Status status, boolean sent) {
        return mapper.failed(call, status, trace(sent, false), Duration.ofSeconds(2));
    }

    private static CsiCallException answered(StatusMapper mapper, RpcCall<?, ?> call, Status status) {
        return mapper.failed(call, status, trace(true, true), Duration.ofSeconds(2));
    }

    private static void check(CsiCallException failure, StatusCode code, CallOutcome outcome, String text) {
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.outcome()).isEqualTo(outcome);
        assertThat(failure).hasMessage(text).hasNoCause();
    }

    private static String publish(StatusCode code, String reason) {
        return "NodePublishVolume for vol-1 at plugin ebs failed (" + code + "): " + reason;
    }

    @Test
    void statusOfPluginIsReportedWithItsTextAndPath() {
        CsiCallException failure =
                answered(mapper, PUBLISH, Status.NOT_FOUND.withDescription("no volume with hunter2-hunter2 at ebs."));
        String head = "NodePublishVolume for vol-1 on /t at plugin ebs failed (NOT_FOUND)";
        String next =
                "The plugin knows no such volume, or nothing of it at the path; verify at the storage provider that it"
                        + " exists" + AGAIN;
        check(
                failure,
                StatusCode.NOT_FOUND,
                CallOutcome.RETRY_AFTER_CAUSE,
                head + ": the plugin says: no volume with [hidden] at ebs. " + next);
        assertThat(failure.summary()).isEqualTo(head + ". " + next);
        assertThat(failure.rpc()).isEqualTo(Rpc.NODE_PUBLISH_VOLUME);
        assertThat(failure.plugin()).isEqualTo("ebs");
        assertThat(failure.volume()).contains("vol-1");
    }

    @Test
    void statusOfPluginWithoutTextIsReportedAsWithoutReason() {
        for (String text : new String[] {null, "", " "}) {
            check(
                    answered(mapper, PUBLISH, Status.UNAUTHENTICATED.withDescription(text)),
                    StatusCode.UNAUTHENTICATED,
                    CallOutcome.RETRY_AFTER_CAUSE,
                    publish(StatusCode.UNAUTHENTICATED, "the plugin gave no reason. Refresh the secrets" + AGAIN));
        }
    }

    @Test
    void conflictWithoutPathAndCallWithoutVolumeAreNamedWithoutThem() {
        assertThat(answered(mapper, STATS, Status.NOT_FOUND))
                .hasMessageStartingWith("NodeGetVolumeStats for vol-1 at plugin ebs failed (NOT_FOUND)");
        RpcCall<ListVolumesRequest, ?> list = new RpcCall<>(
                Rpc.LIST_VOLUMES,
                ControllerGrpc.getListVolumesMethod(),
                ListVolumesRequest.getDefaultInstance(),
                null,
                SensitiveValues::none,
                true);
        check(
                answered(mapper, list, Status.ABORTED.withDescription("old token")),
                StatusCode.ABORTED,
                CallOutcome.PAGE_RESTART,
                "ListVolumes at plugin ebs failed (ABORTED): the plugin says: old token. Begin the listing again with an"
                        + " empty token.");
    }

    @Test
    void nodeOfConflictIsNamed() {
        RpcCall<ControllerPublishVolumeRequest, ?> attach = RpcCall.about(
                "vol-1",
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                ControllerGrpc.getControllerPublishVolumeMethod(),
                ControllerPublishVolumeRequest.newBuilder().setNodeId("i-1").build(),
                SensitiveValues::none);
        assertThat(answered(mapper, attach, Status.ALREADY_EXISTS))
                .hasMessageStartingWith("ControllerPublishVolume for vol-1 on i-1 at plugin ebs failed");
    }

    @Test
    void exceededDeadlineSaysWhetherCallWasSent() {
        Status late = Status.DEADLINE_EXCEEDED.withDescription("a stack trace");
        check(
                failed(PUBLISH, late, true),
                StatusCode.DEADLINE_EXCEEDED,
                CallOutcome.OUTCOME_UNKNOWN,
                publish(StatusCode.DEADLINE_EXCEEDED, "the plugin has not answered within 2 s. " + UNKNOWN_PUBLISH));
        check(
                failed(PUBLISH, late, false),
                StatusCode.DEADLINE_EXCEEDED,
                CallOutcome.OUTCOME_UNKNOWN,
                publish(
                        StatusCode.DEADLINE_EXCEEDED,
                        "no connection to " + endpoint
                                + " came about within 2 s: something listens there, but does not serve. "
                                + NOT_SENT));
        assertThat(mapper.silent(PUBLISH, trace(true, false), Duration.ofSeconds(7)))
                .hasMessageContaining("the plugin has not answered within 7 s");
    }

    @Test
    void cancelledCallIsReportedAsCancelled() {
        check(
                failed(PUBLISH, Status.CANCELLED.withDescription("by the caller"), true),
                StatusCode.CANCELLED,
                CallOutcome.OUTCOME_UNKNOWN,
                publish(StatusCode.CANCELLED, "the call was cancelled (by the caller). " + UNKNOWN_PUBLISH));
        assertThat(mapper.closed(PUBLISH))
                .hasMessage(publish(
                        StatusCode.CANCELLED,
                        "the client was closed while the call was in flight. " + UNKNOWN_PUBLISH));
    }

    @Test
    void responseThatGrpcCannotReadIsReportedAsInternal() {
        Throwable unread = Status.INTERNAL.withDescription("bad bytes").asRuntimeException();
        check(
                failed(PUBLISH, Status.CANCELLED.withDescription("unread").withCause(unread), true),
                StatusCode.INTERNAL,
                CallOutcome.OUTCOME_UNKNOWN,
                publish(StatusCode.INTERNAL, "no valid answer from " + endpoint + " (bad bytes). " + UNKNOWN_PUBLISH));
    }

    @Test
    void tooLargeResponseIsReportedWithLimit() {
        String text = "gRPC message exceeds maximum size 1000: 2000";
        String large = "the answer is larger than the 1000 bytes that this client accepts. Raise maxInboundMessageSize"
                + " of the client, then call again with the same fields";
        check(
                failed(PUBLISH, Status.RESOURCE_EXHAUSTED.withDescription(text), true),
                StatusCode.RESOURCE_EXHAUSTED,
                CallOutcome.OUTCOME_UNKNOWN,
                publish(StatusCode.RESOURCE_EXHAUSTED, large + "; it may have taken effect."));
        check(
                failed(
                        STATS,
                        Status.CANCELLED.withCause(Status.RESOURCE_EXHAUSTED
                                .withDescription("Decompressed gRPC message exceeds maximum size 1000")
                                .asRuntimeException()),
                        true),
                StatusCode.RESOURCE_EXHAUSTED,
                CallOutcome.RETRY_AFTER_CAUSE,
                "NodeGetVolumeStats for vol-1 at plugin ebs failed (RESOURCE_EXHAUSTED): " + large + ".");
    }

    @Test
    void sizesOfTooLargeMessageAreRead() {
        assertThat(MessageTooLarge.of(
                        Status.RESOURCE_EXHAUSTED.withDescription("gRPC message exceeds maximum size 1000: 2000")))
                .contains(new MessageTooLarge("2000", "1000"));
        assertThat(MessageTooLarge.of(Status.RESOURCE_EXHAUSTED.withDescription(
                        "Decompressed gRPC message exceeds maximum size 1000")))
                .contains(new MessageTooLarge("too many", "1000"));
        assertThat(MessageTooLarge.of(Status.INTERNAL.withDescription("gRPC message exceeds maximum size 1000: 2000")))
                .isEmpty();
        assertThat(MessageTooLarge.of(Status.RESOURCE_EXHAUSTED)).isEmpty();
        assertThat(MessageTooLarge.of(Status.RESOURCE_EXHAUSTED.withDescription("quota")))
                .isEmpty();
    }

    @Test
    void unsentCallChangedNothing() {
        for (Status status : new Status[] {
            Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED, Status.INTERNAL, Status.UNKNOWN, Status.DATA_LOSS
        }) {
            check(
                    failed(PUBLISH, status.withDescription("io exception"), false),
                    StatusCode.UNAVAILABLE,
                    CallOutcome.OUTCOME_UNKNOWN,
                    publish(
                            StatusCode.UNAVAILABLE,
                            "no usable connection to " + endpoint + " (io exception). " + NOT_SENT));
        }
    }

    @Test
    void brokenConnectionAfterSendingIsReportedAsUnavailable() {
        for (Status status : new Status[] {Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED}) {
            check(
                    failed(PUBLISH, status.withDescription("reset"), true),
                    StatusCode.UNAVAILABLE,
                    CallOutcome.OUTCOME_UNKNOWN,
                    publish(
                            StatusCode.UNAVAILABLE,
                            "the connection to " + endpoint + " broke while the call was in flight: the plugin has"
                                    + " stopped, crashed or hung up (reset). " + UNKNOWN_PUBLISH));
        }
    }

    @Test
    void invalidResponseKeepsOnlyCodesOfBrokenPeers() {
        Map<Status, StatusCode> codes = Map.of(
                Status.INTERNAL, StatusCode.INTERNAL,
                Status.UNKNOWN, StatusCode.UNKNOWN,
                Status.DATA_LOSS, StatusCode.DATA_LOSS,
                Status.UNIMPLEMENTED, StatusCode.UNAVAILABLE,
                Status.UNAUTHENTICATED, StatusCode.UNAVAILABLE);
        codes.forEach((status, code) -> assertThat(failed(PUBLISH, status.withDescription("odd"), true))
                .hasMessage(publish(code, "no valid answer from " + endpoint + " (odd). " + UNKNOWN_PUBLISH)));
    }

    @Test
    void statusWithCauseIsNotOfPlugin() {
        Status own = Status.UNAVAILABLE.withCause(new IOException("broken pipe"));
        assertThat(trace(true, true).fromPeer(own)).isFalse();
        assertThat(trace(true, true).fromPeer(Status.UNAVAILABLE)).isTrue();
        assertThat(trace(true, false).fromPeer(Status.UNAVAILABLE)).isFalse();
        assertThat(answered(mapper, PUBLISH, own)).hasMessageContaining("broke while the call was in flight");
    }

    @Test
    void textsOfFourCausesAreShownOnceAndWithoutSecrets() {
        Throwable cause = new IOException("five");
        for (String text : new String[] {"four", "three", "one", null, "hunter2-hunter2"}) {
            cause = text == null ? new IOException((String) null, cause) : new IOException(text, cause);
        }
        Status status = Status.UNAVAILABLE.withDescription("one").withCause(cause);
        assertThat(failed(PUBLISH, status, true)).hasMessageContaining(" (one: [hidden]: three). ");
        assertThat(failed(PUBLISH, Status.UNAVAILABLE.withCause(new IOException("alone")), true))
                .hasMessageContaining(" (alone). ");
        assertThat(failed(PUBLISH, Status.UNAVAILABLE, true)).hasMessageContaining("or hung up. ");
    }

    @Test
    void labelHasNameAndAddress() {
        assertThat(mapper.label()).isEqualTo("ebs at " + endpoint);
        assertThat(new StatusMapper(endpoint.toString(), endpoint, CallRules.defaults(), 1).label())
                .isEqualTo(endpoint.toString());
    }

    @Test
    void createdVolumeIsCauseOfUnusableResponse() {
        CsiCallException failure = mapper.failures()
                .unusable(
                        PUBLISH,
                        new UnusableAnswerException("volume.volumeContext", "is too large", Optional.of("vol-2")));
        assertThat(failure)
                .hasMessage(publish(
                                StatusCode.INTERNAL,
                                "the plugin answered OK, but its answer cannot be used: volume.volumeContext is too"
                                        + " large; the plugin has the volume as vol-2. ")
                        + UNKNOWN_PUBLISH + " Report this to the plugin's vendor.");
        assertThat(failure.summary())
                .contains("volume.volumeContext is too large. ")
                .doesNotContain("vol-2");
        assertThat(failure.getCause())
                .isInstanceOfSatisfying(
                        CreatedVolumeException.class,
                        created -> assertThat(created.volumeId().value()).isEqualTo("vol-2"));
    }

    @Test
    void unusableResponseToQueryChangedNothing() {
        check(
                mapper.failures().unusable(STATS, new UnusableAnswerException("usage", "is odd")),
                StatusCode.INTERNAL,
                CallOutcome.RETRY_AFTER_CAUSE,
                "NodeGetVolumeStats for vol-1 at plugin ebs failed (INTERNAL): the plugin answered OK, but its answer"
                        + " cannot be used: usage is odd. Nothing was changed by it. Report this to the plugin's"
                        + " vendor; ask again once the plugin is mended.");
    }

    private String unreachable(Endpoint there, Throwable cause) {
        return mapper(there)
                .failed(PUBLISH, Status.UNAVAILABLE.withCause(cause), trace(false, false), Duration.ZERO)
                .getMessage();
    }

    @Test
    void reasonWhySocketCannotBeReachedIsNamed() throws IOException {
        Path socket = directory.resolve("x.sock");
        Endpoint there = Endpoint.unix(socket);
        IOException broken = new IOException("broken");
        assertThat(unreachable(there, broken)).contains(": there is no socket " + socket + ": the plugin is not");
        Files.createSymbolicLink(socket, directory.resolve("nowhere"));
        assertThat(unreachable(there, broken)).contains(socket + " is a symbolic link that leads nowhere");
        Files.delete(socket);
        Files.createDirectory(socket);
        assertThat(unreachable(there, broken)).contains(socket + " is a directory, not a socket; correct");
        Files.delete(socket);
        Files.createFile(socket);
        assertThat(unreachable(there, broken)).contains(socket + " is a regular file, not a socket; correct");
        Files.delete(socket);
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            assertThat(unreachable(there, broken)).contains("no usable connection to " + there + " (broken)");
            assertThat(unreachable(there, new IOException("refused", new ConnectException("refused"))))
                    .contains("the socket file " + socket + " exists, but no process listens");
            Path link = Files.createSymbolicLink(directory.resolve("link.sock"), socket);
            assertThat(unreachable(Endpoint.unix(link), broken)).contains(link + " is a symbolic link, so its owner");
        }
        Path below = Files.createFile(directory.resolve("file")).resolve("x.sock");
        assertThat(unreachable(Endpoint.unix(below), broken))
                .contains("the socket " + below + " cannot be looked at: " + below + ": Not a directory");
        assertThat(unreachable(Endpoint.parse("inprocess:///fake"), broken))
                .contains("no plugin is served in this process as fake: it is stopped, or was never started");
    }

    @Test
    void callIsDescribedWithoutItsSecrets() {
        assertThat(PUBLISH.location()).isEqualTo("/t");
        assertThat(PUBLISH.description()).isEqualTo("NodePublishVolume for vol-1 at /t");
        assertThat(PUBLISH).hasToString("RpcCall[NodePublishVolume, subject=vol-1]");
        assertThat(PUBLISH.identity())
                .isEqualTo(PUBLISH.request().toBuilder().clearSecrets().build())
                .isNotEqualTo(PUBLISH.request());
        assertThat(STATS.description()).isEqualTo("NodeGetVolumeStats for vol-1");
    }
}
