package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CreatedVolumeException;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers of plugins that are too large: the row has the reason, the call is repeated in time, no volume is lost. */
class LargeAnswerTest {
    private static final Map<String, String> LARGE = Map.of("k", "x".repeat(5_000));

    @Test
    void publishContextThatDoesNotFitLogIsFailureInRowAndIsRetriedWithBackoff() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.log.longestCommand = 4_000;
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.CONTROLLER_PUBLISH_VOLUME) {
                call.answer.complete(new ControllerPublishVolumeResponse(PublishContext.of(LARGE)));
            } else {
                call.succeed();
            }
            return true;
        };
        var unused = rig.claim("a", "n1", ClaimRig.write("v", SINGLE_NODE_WRITER));
        rig.minutes(10);

        Retry retry = rig.get("v").attachments().iterator().next().retry();
        assertThat(retry.attempts()).isBetween(3, 60);
        assertThat(retry.lastError().orElseThrow())
                .startsWith("ControllerPublishVolume for v at plugin p succeeded, and its answer is too large to be")
                .contains("has 5000 bytes, and may have 4000");
        assertThat(retry.nextRetry()).isPresent();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME))
                .as("one call for each counted attempt")
                .hasSize(retry.attempts());

        rig.gateway.answer();
        rig.minutes(10);
        assertThat(rig.get("v").attachments().iterator().next().retry()).isEqualTo(Retry.none());
    }

    @Test
    void createdVolumeThatDoesNotFitLogIsShownAndCanBeDeleted() {
        VolumeRig rig = VolumeRig.started();
        rig.log.longestCommand = 4_000;
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.CREATE_VOLUME) {
                call.answer.complete(new CreateVolumeResponse(ExternalVolume.builder(ExternalVolumeId.of("vol-1"))
                        .volumeContext(VolumeContext.of(LARGE))
                        .build()));
            } else {
                call.succeed();
            }
            return true;
        };
        VolumeLifecycle engine = rig.engine();
        CompletableFuture<?> creation =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        UnfinishedException late = rig.failedLater(creation, UnfinishedException.class);

        assertThat(late).hasMessageContaining("succeeded, and its answer is too large to be stored");
        assertThat(late.getCause()).isInstanceOf(CsiCallException.class);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
        assertThat(rig.volume().retry().lastError().orElseThrow()).contains("has 5000 bytes, and may have 4000");
        assertThat(rig.volume().retry().attempts()).isPositive();

        CompletableFuture<?> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofHours(1));

        assertThat(deletion).isCompleted();
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .volumeId())
                .isEqualTo(ExternalVolumeId.of("vol-1"));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void volumeWhoseAnswerIsUnusableButHasItsIdCanBeDeleted() {
        VolumeRig rig = VolumeRig.started();
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.CREATE_VOLUME) {
                call.answer.completeExceptionally(new CsiCallException(
                        Rpc.CREATE_VOLUME,
                        "p",
                        "v",
                        StatusCode.INTERNAL,
                        CallOutcome.OUTCOME_UNKNOWN,
                        "CreateVolume for v: volume.volumeContext has 5000 bytes, and at most 4096 are accepted",
                        "CreateVolume for v: volume.volumeContext has 5000 bytes, and at most 4096 are accepted",
                        new CreatedVolumeException(ExternalVolumeId.of("vol-1"))));
            } else {
                call.succeed();
            }
            return true;
        };
        VolumeLifecycle engine = rig.engine();
        CompletableFuture<?> creation =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.failedLater(creation, UnfinishedException.class);
        assertThat(rig.volume().retry().lastError().orElseThrow()).contains("volume.volumeContext has 5000 bytes");

        CompletableFuture<?> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofHours(1));

        assertThat(deletion).isCompleted();
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .volumeId())
                .isEqualTo(ExternalVolumeId.of("vol-1"));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    /** A log may take the result of a call, but not together with the steps that follow from it. */
    @Test
    void resultThatDoesNotFitLogTogetherWithItsFollowingStepsIsStoredAlone() {
        LifecycleRig rig = LifecycleRig.leading(log -> new CommandLog() {
                    @Override
                    public CompletableFuture<Outcome> submit(Command command) {
                        return command instanceof Batch
                                ? CompletableFuture.failedFuture(new CommandTooLargeException("a batch is too large"))
                                : log.submit(command);
                    }

                    @Override
                    public ObservableState state() {
                        return log.state();
                    }
                })
                .volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        CompletableFuture<?> release = rig.host.claims().release(LifecycleRig.VOL, AllocationId.of("a"));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(release).isCompleted();
        assertThat(rig.calls())
                .containsExactly(
                        "CONTROLLER_PUBLISH_VOLUME", "NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
    }
}
