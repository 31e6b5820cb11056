package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whoever asks is told in time; what was begun goes on. */
class OperationTimeTest {
    private static final Duration LIMIT = LifecycleOptions.ofDefaults().operationTimeout();

    /** A transport that has all the time there is. */
    private final LifecycleRig rig = LifecycleRig.leading(
            LifecycleOptions.builder().callTimeout(Duration.ofHours(9)).build());

    /** An answer that comes when the test wants. */
    private CompletableFuture<Object> late(Rpc rpc) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(rpc, call -> answer);
        return answer;
    }

    private CompletableFuture<Volume> create() {
        return rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
    }

    @Test
    void operationsOnHungPluginFailAtOperationTimeout() {
        List<CompletableFuture<Volume>> created = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rig.gateway.hang(Rpc.CREATE_VOLUME);
            created.add(rig.host
                    .volumes()
                    .create(
                            VolumeKey.of("default", "c" + i),
                            LifecycleRig.newSpec().build()));
        }
        rig.clock.advance(LIMIT.minusMillis(1));
        assertThat(created).noneMatch(CompletableFuture::isDone);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME))
                .as("calls above the limit wait")
                .hasSizeLessThan(100);
        rig.clock.advance(Duration.ofMillis(1));
        for (CompletableFuture<Volume> one : created) {
            assertThat(rig.failed(one, UnfinishedException.class).retryable()).isTrue();
        }
        assertThat(rig.failed(created.get(99), UnfinishedException.class))
                .hasMessageContaining("default/c99")
                .hasMessageContaining("10 min");
    }

    @Test
    void queryOnHungPluginFailsAtOperationTimeout() {
        CompletableFuture<Object> answer = late(Rpc.GET_CAPACITY);
        var capacity =
                rig.host.volumes().capacity(PLUGIN, GetCapacityRequest.builder().build());
        rig.clock.advance(LIMIT.minusMillis(1));
        assertThat(capacity).isNotDone();
        rig.clock.advance(Duration.ofMillis(1));
        rig.failed(capacity, UnfinishedException.class);
        assertThat(answer).isNotDone();
    }

    @Test
    void resultThatArrivesAfterOperationTimeoutIsStored() {
        CompletableFuture<Object> answer = late(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> created = create();
        rig.clock.advance(LIMIT);
        assertThat(rig.failed(created, UnfinishedException.class)).hasMessageContaining("continues");
        assertThat(rig.get(VOL).phase()).isEqualTo(VolumePhase.CREATING);
        answer.complete(new CreateVolumeResponse(ExternalVolume.builder(ExternalVolumeId.of("made"))
                .capacityBytes(100)
                .build()));
        rig.clock.run();
        assertThat(rig.get(VOL).phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.get(VOL).externalVolumeId()).contains(ExternalVolumeId.of("made"));
        assertThat(rig.done(create()).facts().capacityBytes()).isEqualTo(100);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @Test
    void refusalAfterOperationTimeoutRemovesStoredIntent() {
        CompletableFuture<Object> answer = late(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> created = create();
        rig.clock.advance(LIMIT);
        rig.failed(created, UnfinishedException.class);
        answer.completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT));
        rig.clock.advance(LIMIT);
        assertThat(rig.log.snapshot().volume(VOL))
                .as("a refused creation leaves no volume")
                .isEmpty();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
        assertThat(rig.workers()).isZero();
    }

    @Test
    void volumeIsAvailableAgainIfDeletionIsRefusedAfterTimeout() {
        rig.done(create());
        CompletableFuture<Object> answer = late(Rpc.DELETE_VOLUME);
        CompletableFuture<Void> deleted = rig.host.volumes().delete(VOL);
        rig.clock.advance(LIMIT);
        rig.failed(deleted, UnfinishedException.class);
        answer.completeExceptionally(HandGateway.failure(Rpc.DELETE_VOLUME, StatusCode.FAILED_PRECONDITION));
        rig.clock.advance(LIMIT);
        assertThat(rig.get(VOL).phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }

    @Test
    void snapshotThatFailsAfterOperationTimeoutIsDeleted() {
        rig.volume(VOL);
        SnapshotId cut = SnapshotId.of("s1");
        rig.gateway.answer(
                Rpc.CREATE_SNAPSHOT,
                request -> new CreateSnapshotResponse(
                        Snapshot.builder(cut, rig.get(VOL).remoteId())
                                .readyToUse(false)
                                .build()));
        CompletableFuture<Object> answer = late(Rpc.CREATE_SNAPSHOT);
        var created = rig.host.snapshots().create(SnapshotRequest.of(VOL, "nightly"));
        rig.clock.advance(LIMIT);
        rig.failed(created, UnfinishedException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
        answer.completeExceptionally(HandGateway.failure(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT));
        rig.clock.run();
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .snapshotId())
                .isEqualTo(cut);
    }

    @Test
    void timersOfFinishedOperationsAreCancelled() {
        rig.done(create());
        int before = rig.clock.timers();
        rig.done(rig.host.volumes().delete(VOL));
        assertThat(rig.clock.timers()).isEqualTo(before);

        CompletableFuture<Object> answer = late(Rpc.GET_CAPACITY);
        var given =
                rig.host.volumes().capacity(PLUGIN, GetCapacityRequest.builder().build());
        rig.clock.run();
        int inFlight = rig.clock.timers();
        assertThat(given.cancel(false)).isTrue();
        assertThat(rig.clock.timers())
                .as("only the timer of the operation is cancelled")
                .isEqualTo(inFlight - 1);
        assertThat(answer).isNotDone();
    }

    @Test
    void changeOfVolumeHasOneTimerWhichStaysIfCallerCancels() {
        int before = rig.clock.timers();
        CompletableFuture<Object> answer = late(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> given = create();
        rig.clock.run();
        assertThat(rig.clock.timers())
                .as("the timers of the operation and of its call")
                .isEqualTo(before + 2);
        assertThat(given.cancel(false)).isTrue();
        assertThat(rig.clock.timers()).isEqualTo(before + 2);
        rig.clock.advance(LIMIT);
        assertThat(rig.clock.timers()).isEqualTo(before + 1);
        assertThat(answer).isNotDone();
    }

    @Test
    void unfinishedChangeOfVolumeNamesLastFailureIfLogAnsweredLater() {
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        CompletableFuture<Volume> created = create();
        rig.log.fate = HandLog.Fate.APPLIED;
        rig.clock.advance(Duration.ofSeconds(1));
        rig.log.notDurable.forEach(Runnable::run);
        rig.clock.advance(LIMIT.minusSeconds(1));
        assertThat(rig.failed(created, UnfinishedException.class))
                .hasMessageContaining("creation of volume " + VOL + " is not done after 10 min, and ")
                .hasMessageContaining(" calls failed: ")
                .hasMessageContaining("UNAVAILABLE");
    }

    @Test
    void unfinishedChangeOfVolumeNamesUnknownOutcomeIfLogDoesNotAnswer() {
        LifecycleRig rig = LifecycleRig.leading(
                LifecycleOptions.builder().logTimeout(LIMIT.multipliedBy(2)).build());
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        CompletableFuture<Volume> created =
                rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
        rig.log.fate = HandLog.Fate.APPLIED;
        rig.clock.advance(LIMIT);
        assertThat(rig.failed(created, UnfinishedException.class))
                .hasMessageContaining("whether it was stored, or yet will be, is not known");
    }
}
