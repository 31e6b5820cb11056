package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of calls about one volume, and the calls that may follow an unknown outcome, from the point of view of the plugin. */
class VolumeOrderTest {
    private static final VolumeCapability WRITER = VolumeCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    @TempDir
    Path directory;

    private final AtomicLong now = new AtomicLong();
    private PluginServer server;
    private CsiClient client;

    @BeforeEach
    void start() throws Exception {
        Path socket = directory.resolve("x.sock");
        server = PluginServer.start(socket, call -> call.ok(new byte[0]));
        client = client(VolumeOrder.oneAtATime());
    }

    private CsiClient client(VolumeOrder order) {
        return CsiClient.builder(Endpoint.unix(directory.resolve("x.sock")))
                .plugin("ebs")
                .elapsed(now::get)
                .retries(RetryOptions.none())
                .volumeOrder(order)
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private CompletableFuture<?> publish(String volume, String path) {
        return publish(volume, path, "first");
    }

    private CompletableFuture<?> publish(String volume, String path, String password) {
        return client.node()
                .nodePublishVolume(NodePublishVolumeRequest.builder(ExternalVolumeId.of(volume), path, WRITER)
                        .secrets(Secrets.of(Map.of("password", password)))
                        .build());
    }

    private CompletableFuture<?> unpublish(String volume, String path) {
        return client.node()
                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of(volume), path)
                        .build());
    }

    private CompletableFuture<?> unstage(String volume) {
        return client.node()
                .nodeUnstageVolume(NodeUnstageVolumeRequest.builder(ExternalVolumeId.of(volume), "/s")
                        .build());
    }

    private CompletableFuture<?> stats(String volume) {
        return client.node()
                .nodeGetVolumeStats(NodeGetVolumeStatsRequest.builder(ExternalVolumeId.of(volume), "/t")
                        .build());
    }

    private CompletableFuture<?> expand(String volume) {
        return client.node()
                .nodeExpandVolume(NodeExpandVolumeRequest.builder(ExternalVolumeId.of(volume), "/t")
                        .build());
    }

    private void answers(Status status) {
        server.behave(call -> {
            if (status.isOk()) {
                call.ok(new byte[0]);
            } else {
                call.end(status);
            }
        });
    }

    @Test
    void callsAreSerialPerVolumeAndDoNotWaitForOtherVolumes() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        CompletableFuture<?> second = stats("v");
        CompletableFuture<?> third = unpublish("v", "/1");
        PluginServer.Call one = server.next();
        CompletableFuture<?> other = publish("w", "/1");
        PluginServer.Call ofOther = server.next();
        assertThat(ofOther.rpc()).isEqualTo("NodePublishVolume");
        assertThat(server.calls()).isEqualTo(2);

        one.ok(new byte[0]);
        PluginServer.Call two = server.next();
        assertThat(two.rpc()).isEqualTo("NodeGetVolumeStats");
        two.ok(new byte[0]);
        PluginServer.Call three = server.next();
        assertThat(three.rpc()).isEqualTo("NodeUnpublishVolume");
        three.ok(new byte[0]);
        ofOther.ok(new byte[0]);
        for (CompletableFuture<?> each : List.of(first, second, third, other)) {
            Wire.get(each);
        }
        assertThat(server.calls()).isEqualTo(4);
    }

    @Test
    void creationsWithSameNameAreSerial() throws Exception {
        server.behave(call -> {});
        CreateVolumeRequest request =
                CreateVolumeRequest.newBuilder().setName("pvc-1").build();
        CompletableFuture<?> first = Wire.createVolume(client, request);
        CompletableFuture<?> second = Wire.createVolume(client, request);
        server.next().end(Status.INTERNAL);
        Wire.failure(first);
        server.next().end(Status.INTERNAL);
        Wire.failure(second);
        assertThat(client.unresolved())
                .as("creations with the same name are one")
                .isEmpty();
    }

    @Test
    void waitingCallFailsAtItsDeadline() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        server.next();
        CompletableFuture<?> second = client.withDeadline(Duration.ofMillis(50))
                .node()
                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(ExternalVolumeId.of("v"), "/1")
                        .build());
        CsiCallException late = Wire.failure(second);
        assertThat(late.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(late.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(late)
                .hasMessageContainingAll(
                        "NodeUnpublishVolume for v at /1 at plugin ebs was not sent",
                        "behind NodePublishVolume for v at /1 which is still under way");
        assertThat(first).isNotDone();
        assertThat(server.calls()).isEqualTo(1);
    }

    @Test
    void callCancelledWhileWaitingIsNeverSent() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        CompletableFuture<?> second = unpublish("v", "/1");
        CompletableFuture<?> third = stats("v");
        PluginServer.Call one = server.next();
        second.cancel(true);
        one.ok(new byte[0]);
        assertThat(server.next().rpc()).isEqualTo("NodeGetVolumeStats");
        Wire.get(first);
        assertThat(third).isNotDone();
    }

    /** The plugin may still work on a call that its caller cancelled (R30). */
    @Test
    void cancelledCallWithUnknownOutcomeBlocksWaitingChange() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        server.next();
        CompletableFuture<?> second = unstage("v");
        first.cancel(true);
        CsiCallException refused = Wire.failure(second);
        assertThat(refused.code()).isEqualTo(StatusCode.ABORTED);
        assertThat(refused).hasMessageContaining("NodePublishVolume for v at /1 ended");
        assertThat(Wire.failure(unstage("v")).code()).isEqualTo(StatusCode.ABORTED);
        assertThat(server.calls()).isEqualTo(1);

        answers(Status.OK);
        Wire.get(unpublish("v", "/1"));
        Wire.get(unstage("v"));
    }

    @Test
    void unknownOutcomeFailsAllWaitingChanges() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        List<CompletableFuture<?>> waiting =
                List.of(unstage("v"), publish("v", "/2"), expand("v"), unpublish("v", "/2"));
        server.next().end(Status.INTERNAL);
        leaveOutcomeUnknown(first);
        for (CompletableFuture<?> each : waiting) {
            assertThat(Wire.failure(each).code()).isEqualTo(StatusCode.ABORTED);
        }
        assertThat(server.calls()).isEqualTo(1);
    }

    @Test
    void closingClientFailsWaitingCalls() throws Exception {
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        CompletableFuture<?> second = unpublish("v", "/1");
        server.next();
        client.close();
        assertThat(Wire.failure(first).outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(Wire.failure(second)).hasMessageContaining("was not sent (CANCELLED): the client was closed");
        assertThat(server.calls()).isEqualTo(1);
    }

    private void leaveOutcomeUnknown(CompletableFuture<?> call) {
        assertThat(Wire.failure(call).outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
    }

    @Test
    void changesAreRefusedAfterUnknownOutcomeAndErrorContainsUnresolvedCall() {
        answers(Status.INTERNAL);
        leaveOutcomeUnknown(publish("v", "/1"));
        answers(Status.OK);
        now.addAndGet(TimeUnit.SECONDS.toNanos(3));

        for (CompletableFuture<?> other :
                List.of(unstage("v"), publish("v", "/2"), unpublish("v", "/2"), expand("v"))) {
            CsiCallException refused = Wire.failure(other);
            assertThat(refused.code()).isEqualTo(StatusCode.ABORTED);
            assertThat(refused.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
            assertThat(refused.retryable()).isTrue();
            assertThat(refused)
                    .hasMessageContainingAll(
                            "NodePublishVolume for v at /1 ended 3.0 s ago without a definite answer",
                            "undo it with NodeUnpublishVolume");
        }
        assertThat(server.calls()).isEqualTo(1);
        Wire.get(stats("v"));
        Wire.get(unstage("w"));
        assertThat(client.unresolved())
                .singleElement()
                .satisfies(left -> assertThat(left.age()).isEqualTo(Duration.ofSeconds(3)));
    }

    /** The repeated call may have other secrets than the first one (R89). */
    @Test
    void repeatingCallWithUnknownOutcomeIsAllowedAndUnblocksVolume() {
        answers(Status.UNAVAILABLE);
        leaveOutcomeUnknown(publish("v", "/1"));
        leaveOutcomeUnknown(publish("v", "/1", "second"));
        answers(Status.UNAUTHENTICATED);
        // The plugin has not checked the volume, so the outcome of the earlier call is still unknown.
        leaveOutcomeUnknown(publish("v", "/1"));
        assertThat(client.unresolved()).hasSize(1);
        answers(Status.OK);
        Wire.get(publish("v", "/1"));
        assertThat(client.unresolved()).isEmpty();
        Wire.get(unstage("v"));
    }

    @Test
    void definiteRefusalOfRepeatedCallUnblocksVolume() {
        answers(Status.UNAVAILABLE);
        leaveOutcomeUnknown(publish("v", "/1"));
        answers(Status.FAILED_PRECONDITION);
        leaveOutcomeUnknown(publish("v", "/1"));
        assertThat(client.unresolved()).isEmpty();
        assertThat(Wire.failure(publish("v", "/1")).outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
    }

    @Test
    void unpublishIsAllowedAfterPublishWithUnknownOutcomeAndUnblocksVolume() {
        answers(Status.UNAVAILABLE);
        leaveOutcomeUnknown(publish("v", "/1"));
        answers(Status.NOT_FOUND);
        assertThat(Wire.failure(unpublish("v", "/1")).code()).isEqualTo(StatusCode.NOT_FOUND);
        assertThat(client.unresolved()).hasSize(1);
        answers(Status.OK);
        Wire.get(unpublish("v", "/1"));
        assertThat(client.unresolved()).isEmpty();
        Wire.get(unstage("v"));
    }

    @Test
    void unpublishAndUnstageAreAllowedWhileOutcomeOfExpansionIsUnknown() {
        answers(Status.INTERNAL);
        leaveOutcomeUnknown(expand("v"));
        answers(Status.OK);
        assertThat(Wire.failure(publish("v", "/2"))).hasMessageContaining("NodeExpandVolume for v ended");
        Wire.get(unpublish("v", "/1"));
        Wire.get(unstage("v"));
        assertThat(client.unresolved()).hasSize(1);
    }

    @Test
    void callThatWasNotSentDoesNotBlockVolume() {
        server.close();
        assertThat(Wire.failure(publish("v", "/1")).code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(client.unresolved()).isEmpty();
    }

    @Test
    void callWithDefiniteResponseDoesNotBlockVolume() {
        answers(Status.FAILED_PRECONDITION);
        Wire.failure(publish("v", "/1"));
        assertThat(client.unresolved()).isEmpty();
    }

    @Test
    void volumeIsUnblockedAfterBlockTimeOrWhenHostForgetsUnresolvedCall() {
        answers(Status.INTERNAL);
        leaveOutcomeUnknown(publish("v", "/1"));
        leaveOutcomeUnknown(publish("w", "/1"));
        answers(Status.OK);
        client.forgetUnresolved("w");
        Wire.get(unstage("w"));
        now.addAndGet(VolumeOrder.DEFAULT_BLOCK_TIME.toNanos() - 1);
        Wire.failure(unstage("v"));
        now.addAndGet(1);
        assertThat(client.unresolved()).isEmpty();
        Wire.get(unstage("v"));
    }

    @Test
    void volumeIsNeverBlockedIfBlockTimeIsZero() {
        for (VolumeOrder order : List.of(VolumeOrder.oneAtATime().blockTime(Duration.ZERO), VolumeOrder.unordered())) {
            client.close();
            client = client(order);
            answers(Status.INTERNAL);
            leaveOutcomeUnknown(publish("v", "/1"));
            answers(Status.OK);
            Wire.get(unstage("v"));
        }
        assertThatThrownBy(() -> VolumeOrder.unordered().blockTime(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("blockTime: ");
        assertThatThrownBy(() -> VolumeOrder.oneAtATime().blockTime(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("blockTime: ");
    }

    @Test
    void unorderedCallsOfOneVolumeRunConcurrently() throws Exception {
        client.close();
        client = client(VolumeOrder.unordered());
        server.behave(call -> {});
        CompletableFuture<?> first = publish("v", "/1");
        CompletableFuture<?> second = unpublish("v", "/1");
        server.next();
        server.next();
        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void hundredWaitingCallsOfOneVolumeAllRun() {
        CompletableFuture<?>[] all = new CompletableFuture<?>[100];
        for (int i = 0; i < all.length; i++) {
            all[i] = stats("v");
        }
        Wire.get(CompletableFuture.allOf(all));
        assertThat(server.calls()).isEqualTo(100);
    }
}
