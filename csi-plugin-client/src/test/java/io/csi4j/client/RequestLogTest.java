package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.internal.log.RedactedMessage;
import io.csi4j.client.internal.log.RequestLines;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of the request log; {@link RequestLogCanaryTest} tests that it has no confidential values. */
class RequestLogTest {
    private static final String UNPUBLISH = "NodeUnpublishVolume for vol-1 at plugin ebs ";

    @TempDir
    Path directory;

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final AtomicLong now = new AtomicLong();
    private PluginServer server;

    @BeforeEach
    void start() throws Exception {
        server = PluginServer.start(directory.resolve("x.sock"), call -> call.ok(new byte[0]));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private CsiClient.Builder builder() {
        return CsiClient.builder(Endpoint.unix(directory.resolve("x.sock")))
                .plugin("ebs")
                .elapsed(now::get)
                .requestLog(RequestLog.to(lines::add));
    }

    private CsiClient once() {
        return builder().retries(RetryOptions.none()).build();
    }

    private static CompletableFuture<Void> unpublish(CsiClient client) {
        return client.node()
                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("vol-1"), "/t")
                        .build());
    }

    private String line() throws InterruptedException {
        String line = lines.poll(20, TimeUnit.SECONDS);
        assertThat(line).as("a line is logged").isNotNull();
        return line;
    }

    @Test
    void requestAndResponseAreLoggedBeforeCallerGetsResponse() throws Exception {
        server.behave(call -> {
            now.addAndGet(Duration.ofMillis(12).toNanos());
            call.ok(new byte[0]);
        });
        try (CsiClient client = once()) {
            Wire.get(unpublish(client));
        }
        assertThat(lines)
                .containsExactly(
                        "call 1, attempt 1: " + UNPUBLISH
                                + "is sent with a deadline of 2 min: {volumeId: \"vol-1\", targetPath: \"/t\"}",
                        "call 1, attempt 1: " + UNPUBLISH + "ended with OK after 12 ms: {}");
    }

    @Test
    void refusedCallIsLoggedWithPluginTextOnOneLine() throws Exception {
        server.behave(call -> call.end(Status.NOT_FOUND.withDescription("no\nsuch volume \u001b[2J")));
        try (CsiClient client = once()) {
            Wire.failure(unpublish(client));
        }
        line();
        assertThat(line())
                .startsWith("call 1, attempt 1: " + UNPUBLISH + "ended with NOT_FOUND (RETRY_AFTER_CAUSE) after 0 us: ")
                .contains("the plugin says: no\\nsuch volume \\u001B[2J");
        assertThat(lines).isEmpty();
    }

    @Test
    void lostResponseIsLoggedWithUnknownOutcome() throws Exception {
        server.behave(call -> {});
        try (CsiClient client = once()) {
            Wire.failure(unpublish(client.withDeadline(Duration.ofMillis(300))));
            line();
            assertThat(line()).contains("ended with DEADLINE_EXCEEDED (OUTCOME_UNKNOWN) after ");

            server.close();
            Wire.failure(unpublish(client));
            assertThat(line()).startsWith("call 2, attempt 1: ");
            assertThat(line()).contains("ended with UNAVAILABLE (OUTCOME_UNKNOWN), not sent, after ");
        }
    }

    @Test
    void eachAttemptIsLoggedWithCallNumber() throws Exception {
        AtomicInteger count = new AtomicInteger();
        server.behave(call -> {
            if (count.incrementAndGet() >= 3) {
                call.ok(new byte[0]);
            } else {
                call.end(Status.UNAVAILABLE);
            }
        });
        try (CsiClient client = builder()
                .retries(RetryOptions.builder()
                        .initialBackoff(Duration.ofMillis(1))
                        .maxBackoff(Duration.ofMillis(2))
                        .build())
                .build()) {
            Wire.get(unpublish(client));
            Wire.get(client.identity().probe());
        }
        assertThat(lines)
                .extracting(line -> line.replaceFirst(" (with a deadline|after) .*", ""))
                .containsExactly(
                        "call 1, attempt 1: " + UNPUBLISH + "is sent",
                        "call 1, attempt 1: " + UNPUBLISH + "ended with UNAVAILABLE (OUTCOME_UNKNOWN)",
                        "call 1, attempt 2: " + UNPUBLISH + "is sent",
                        "call 1, attempt 2: " + UNPUBLISH + "ended with UNAVAILABLE (OUTCOME_UNKNOWN)",
                        "call 1, attempt 3: " + UNPUBLISH + "is sent",
                        "call 1, attempt 3: " + UNPUBLISH + "ended with OK",
                        "call 2, attempt 1: Probe at plugin ebs is sent",
                        "call 2, attempt 1: Probe at plugin ebs ended with OK");
    }

    @Test
    void endOfCancelledCallIsLogged() throws Exception {
        server.behave(call -> {});
        try (CsiClient client = once()) {
            CompletableFuture<Void> call = unpublish(client);
            server.next();
            call.cancel(true);
            line();
            assertThat(line()).contains("ended with CANCELLED (OUTCOME_UNKNOWN) after ");
        }
    }

    @Test
    void unusableResponseIsLogged() throws Exception {
        server.behave(call -> call.ok(io.csi4j.proto.csi.v1.GetPluginInfoResponse.newBuilder()
                .setVendorVersion("7.1")
                .build()));
        try (CsiClient client = once()) {
            Wire.failure(client.identity().getPluginInfo());
        }
        line();
        assertThat(line())
                .contains("GetPluginInfo at plugin ebs ended with INTERNAL (RETRY_AFTER_CAUSE)")
                .endsWith("; the answer was: {vendorVersion: \"7.1\"}");
    }

    @Test
    void eachMessageOfStreamIsLogged() throws Exception {
        server.behave(call -> {
            call.headers();
            for (int i = 1; i <= 2; i++) {
                call.send(io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse.newBuilder()
                        .setVolumeCapacityBytes(1_000)
                        .addBlockMetadata(io.csi4j.proto.csi.v1.BlockMetadata.newBuilder()
                                .setByteOffset(i * 10L)
                                .setSizeBytes(10))
                        .build()
                        .toByteArray());
            }
            call.end(Status.OK);
        });
        try (CsiClient client = once()) {
            Wire.get(Collector.of(allocated(client)).all());
            assertThat(lines)
                    .containsExactly(
                            "call 1, attempt 1: GetMetadataAllocated for snap-1 at plugin ebs is sent with a deadline of 1 min without"
                                    + " a message: {snapshotId: \"snap-1\", maxResults: 7, secrets: [hidden]}",
                            "call 1, attempt 1: GetMetadataAllocated for snap-1 at plugin ebs sent message 1:"
                                    + " {volumeCapacityBytes: 1000, blockMetadata: [{byteOffset: 10, sizeBytes: 10}]}",
                            "call 1, attempt 1: GetMetadataAllocated for snap-1 at plugin ebs sent message 2:"
                                    + " {volumeCapacityBytes: 1000, blockMetadata: [{byteOffset: 20, sizeBytes: 10}]}",
                            "call 1, attempt 1: GetMetadataAllocated for snap-1 at plugin ebs ended with OK after 0 us and"
                                    + " 2 messages");
            lines.clear();

            server.behave(call -> call.end(Status.FAILED_PRECONDITION.withDescription("not with s3cret")));
            Wire.failure(Collector.of(allocated(client)).all());
            assertThat(line()).startsWith("call 2, attempt 1: ");
            assertThat(line()).contains("ended with FAILED_PRECONDITION (", "the plugin says: not with [hidden]");

            server.behave(call -> {});
            CompletableFuture<Flow.Subscription> begun = new CompletableFuture<>();
            allocated(client).subscribe(new Collector<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    begun.complete(subscription);
                }
            });
            begun.join().cancel();
            begun.join().cancel();
            assertThat(line()).startsWith("call 3, attempt 1: ");
            assertThat(line()).endsWith("ended with CANCELLED after 0 us and 0 messages");
        }
        assertThat(lines).isEmpty();
    }

    private static Flow.Publisher<GetMetadataAllocatedResponse> allocated(CsiClient client) {
        return client.snapshotMetadata()
                .getMetadataAllocated(GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1"))
                        .maxResults(7)
                        .secrets(Secrets.of(Map.of("token", "s3cret")))
                        .build());
    }

    @Test
    void relayedCallIsLogged() throws Exception {
        byte[] request = DeleteVolumeRequest.newBuilder()
                .setVolumeId("vol-1")
                .putSecrets("token", "s3cret")
                .build()
                .toByteArray();
        try (CsiClient client = once()) {
            Wire.get(client.relay().relay(RelayedCall.of(Rpc.DELETE_VOLUME, request), Duration.ofMinutes(1)));
        }
        assertThat(lines)
                .containsExactly(
                        "call 1, attempt 1: DeleteVolume for vol-1 at plugin ebs is sent with a deadline of 1 min:"
                                + " {volumeId: \"vol-1\", secrets: [hidden]}",
                        "call 1, attempt 1: DeleteVolume for vol-1 at plugin ebs ended with OK after 0 us: {}");
    }

    @Test
    void contextKeysAndNumberOfMountFlagsAreLogged() throws Exception {
        ValidateVolumeCapabilitiesRequest request = (ValidateVolumeCapabilitiesRequest)
                Canaries.in(Rpc.VALIDATE_VOLUME_CAPABILITIES, FilledRequests.of(Rpc.VALIDATE_VOLUME_CAPABILITIES, 1));
        try (CsiClient client = builder()
                .requestLog(RequestLog.to(lines::add).withVisibleKeys(Set.of("zone")))
                .build()) {
            Wire.get(client.controller()
                    .validateVolumeCapabilities(request.toBuilder()
                            .volumeContext(VolumeContext.of(Map.of("share", "a")))
                            .parameters(Map.of("zone", "z1"))
                            .build()));
        }
        assertThat(line())
                .contains(
                        "volumeContext: [\"share\": [hidden]]",
                        "parameters: [\"zone\": \"z1\"]",
                        "mutableParameters: [\"tier\": [hidden]]",
                        "mountFlags: 2 [hidden]",
                        "secrets: [hidden]");
    }

    /** A plugin may repeat values of a context in a text for people. */
    @SuppressWarnings("deprecation") // told by plugins until CSI 1.12
    @Test
    void contextValueIsHiddenButEqualVolumeIdInMessageStaysVisible() throws Exception {
        server.behave(call -> call.ok(ControllerGetVolumeResponse.newBuilder()
                .setVolume(Volume.newBuilder().setVolumeId("vol-1").putVolumeContext("share", "vol-1"))
                .setStatus(ControllerGetVolumeResponse.VolumeStatus.newBuilder()
                        .setVolumeCondition(io.csi4j.proto.csi.v1.VolumeCondition.newBuilder()
                                .setAbnormal(true)
                                .setMessage("share vol-1 is gone")))
                .build()));
        try (CsiClient client = once()) {
            Wire.get(client.controller()
                    .controllerGetVolume(ControllerGetVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                            .build()));
        }
        line();
        assertThat(line()).contains("volumeId: \"vol-1\"", "\"share\": [hidden]", "message: \"share vol-1 is gone\"");
    }

    @Test
    void longListsAndTextsAreTruncated() throws Exception {
        server.behave(call -> call.ok(ListVolumesResponse.newBuilder()
                .addAllEntries(IntStream.range(0, 1_000)
                        .mapToObj(i -> ListVolumesResponse.Entry.newBuilder()
                                .setVolume(Volume.newBuilder().setVolumeId("vol-" + i))
                                .build())
                        .toList())
                .setNextToken("x".repeat(1_000))
                .build()));
        try (CsiClient client = once()) {
            Wire.get(
                    client.controller().listVolumes(ListVolumesRequest.builder().build()));
        }
        line();
        assertThat(line())
                .contains("{volumeId: \"vol-9\"}", ", and 990 more]")
                .contains("nextToken: \"" + "x".repeat(RequestLines.MAX_CHARS) + "\" (cut; 1000 characters)")
                .doesNotContain("vol-10")
                .hasSizeLessThan(1_500);
    }

    @Test
    void largeMessageIsTruncated() {
        ListVolumesResponse.Builder many = ListVolumesResponse.newBuilder();
        for (int i = 0; i < 10; i++) {
            Volume.Builder volume = Volume.newBuilder().setVolumeId("vol-" + i);
            for (int j = 0; j < 10; j++) {
                volume.putVolumeContext("k".repeat(190) + j, "v");
            }
            many.addEntries(ListVolumesResponse.Entry.newBuilder().setVolume(volume));
        }
        String redacted = redacted(many.build());
        assertThat(redacted)
                .contains("vol-0")
                .endsWith("... (cut)")
                .hasSize(RequestLines.MAX_LINE + "... (cut)".length());
    }

    @Test
    void unknownFieldIsLoggedAsNumberWithoutValue() {
        assertThat(redacted(ProbeResponse.newBuilder()
                        .setUnknownFields(UnknownFieldSet.newBuilder()
                                .addField(
                                        17,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addVarint(4711)
                                                .build())
                                .build())
                        .build()))
                .isEqualTo("{unknown fields: [17]}");
        assertThat(redacted(VolumeCapability.AccessMode.newBuilder()
                        .setModeValue(99)
                        .build()))
                .isEqualTo("{mode: 99}");
    }

    private static String redacted(com.google.protobuf.Message message) {
        return new RedactedMessage(Set.of(), SensitiveValues.none(), SensitiveValues.none()).of(message);
    }

    @Test
    void failingRequestLogDoesNotFailCall() throws Exception {
        try (LogCapture log = new LogCapture();
                CsiClient client = builder()
                        .requestLog(RequestLog.to(line -> {
                            throw new IllegalStateException("full of " + line);
                        }))
                        .build()) {
            Wire.get(unpublish(client));
            assertThat(log.texts())
                    .anySatisfy(text -> assertThat(text)
                            .contains("The log of requests failed with a java.lang.IllegalStateException"))
                    .noneSatisfy(text -> assertThat(text).contains("full of"));
        }
        assertThat(server.calls()).isEqualTo(1);
        try (CsiClient client = builder()
                .requestLog(RequestLog.to(line -> {
                    throw new NoClassDefFoundError("of the log");
                }))
                .build()) {
            Wire.get(unpublish(client));
        }
    }

    @Test
    void requestLogFollowsLevelOfItsLoggerInRunningClient() throws Exception {
        Logger logger = Logger.getLogger(RequestLog.LOGGER);
        try (LogCapture log = new LogCapture();
                CsiClient client = CsiClient.builder(Endpoint.unix(directory.resolve("x.sock")))
                        .plugin("ebs")
                        .retries(RetryOptions.none())
                        .build()) {
            logger.setLevel(Level.INFO);
            Wire.get(unpublish(client));
            assertThat(written(log)).isEmpty();

            logger.setLevel(Level.FINE);
            Wire.get(unpublish(client));
            assertThat(written(log))
                    .hasSize(2)
                    .allSatisfy(text -> assertThat(text).containsPattern("call \\d+, attempt 1: " + UNPUBLISH));
        } finally {
            logger.setLevel(null);
        }
        assertThat(server.calls()).isEqualTo(2);
    }

    private static List<String> written(LogCapture log) {
        return log.texts().stream().filter(text -> text.contains(UNPUBLISH)).toList();
    }
}
