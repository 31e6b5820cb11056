package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots with a row in the state: the leader makes their calls. */
class StoredSnapshotsTest {
    private static final SnapshotKey KEY = SnapshotKey.of("default", "nightly");
    private static final VolumeKey COPY = VolumeKey.of("default", "copy");

    private final VolumeRig rig = VolumeRig.started();
    private VolumeLifecycle engine = leading();

    private VolumeLifecycle leading() {
        VolumeLifecycle started = rig.engine();
        started.startLeading();
        rig.clock.run();
        return started;
    }

    @BeforeEach
    void aVolume() {
        var unused =
                rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
    }

    private CompletableFuture<VolumeSnapshot> create() {
        return engine.snapshots().create(KEY, VolumeRig.VOL, Map.of("tier", "cold"));
    }

    private Optional<VolumeSnapshot> row() {
        return rig.log.state().snapshot().snapshot(KEY);
    }

    private List<CreateSnapshotRequest> created() {
        return rig.gateway.requests(Rpc.CREATE_SNAPSHOT).stream()
                .map(CreateSnapshotRequest.class::cast)
                .toList();
    }

    private static CreateSnapshotResponse cut(boolean ready) {
        return new CreateSnapshotResponse(Snapshot.builder(SnapshotId.of("s1"), ExternalVolumeId.of("ext-1"))
                .readyToUse(ready)
                .build());
    }

    @Test
    void callIsRepeatedWithTheSameFieldsUntilTheSnapshotIsReady() {
        rig.gateway
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .lose(Rpc.CREATE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED)
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(true));
        CompletableFuture<VolumeSnapshot> creation = create();
        rig.clock.run();
        assertThat(row().orElseThrow().phase()).isEqualTo(SnapshotPhase.CREATING);
        assertThat(row().orElseThrow().snapshotId()).contains(SnapshotId.of("s1"));
        VolumeSnapshot ready = rig.later(creation);
        assertThat(ready.phase()).isEqualTo(SnapshotPhase.READY);
        assertThat(row()).contains(ready);
        assertThat(created()).hasSize(4);
        assertThat(created().stream().distinct()).hasSize(1);
        CreateSnapshotRequest sent = created().get(0);
        assertThat(sent.name()).isEqualTo(ready.spec().providerName());
        assertThat(sent.parameters()).isEqualTo(Map.of("tier", "cold"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(rig.done(create())).as("the same request again").isEqualTo(ready);
        assertThat(created()).hasSize(4);
    }

    @Test
    void callNamesTheSnapshotAsTheProfileSaidWhenItWasStored() {
        putProfile(profile -> profile.snapshotMetadata(true));
        rig.gateway
                .lose(Rpc.CREATE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED)
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(true));
        var unused = create();
        rig.clock.run();
        putProfile(profile -> profile.extraMetadata(true));
        engine = leading();
        VolumeSnapshot ready = rig.later(create());
        assertThat(created()).hasSize(2);
        assertThat(created().stream().distinct()).hasSize(1);
        assertThat(created().get(0).parameters())
                .isEqualTo(Map.of(
                        "tier",
                        "cold",
                        "csi.storage.k8s.io/volumesnapshot/name",
                        "nightly",
                        "csi.storage.k8s.io/volumesnapshot/namespace",
                        "default",
                        "csi.storage.k8s.io/volumesnapshotcontent/name",
                        ready.spec().providerName()));
        assertThat(rig.done(create())).as("the same request again").isEqualTo(ready);
    }

    private void putProfile(UnaryOperator<PluginProfile.Builder> values) {
        rig.done(engine.cluster()
                .putPluginProfile(
                        values.apply(PluginProfile.builder(VolumeRig.PLUGIN)).build(), 0));
    }

    @Test
    void parametersThatCannotBeSentAreRefusedBeforeTheyAreStored() {
        assertThatThrownBy(() ->
                        rig.done(engine.snapshots().create(KEY, VolumeRig.VOL, Map.of("note", "x".repeat(5_000)))))
                .rootCause()
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContaining("parameters")
                .hasMessageContaining("4096 bytes (R16)");
        assertThat(row()).isEmpty();
        assertThat(created()).isEmpty();
    }

    @Test
    void nextLeaderFinishesACreationWhoseAnswerWasLost() {
        rig.gateway.plan(Rpc.CREATE_SNAPSHOT, call -> {
            var unused = rig.provider.answer(call);
            return new CompletableFuture<>();
        });
        var unused = create();
        rig.clock.run();
        assertThat(row().orElseThrow().retry().unresolved()).isPresent();
        engine = leading();
        VolumeSnapshot ready = rig.later(create());
        assertThat(ready.phase()).isEqualTo(SnapshotPhase.READY);
        assertThat(created().stream().distinct()).hasSize(1);
        assertThat(rig.provider.snapshots).hasSize(1);
    }

    @Test
    void snapshotThatIsDeletedDuringALostCallIsFinishedAndDeleted() {
        rig.gateway.lose(Rpc.CREATE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED);
        CompletableFuture<VolumeSnapshot> creation = create();
        rig.clock.run();
        CompletableFuture<Void> deletion = engine.snapshots().delete(KEY);
        rig.clock.run();
        assertThat(row().orElseThrow().deletionRequested()).isTrue();
        rig.later(deletion);
        assertThat(rig.failed(creation, RejectedException.class).reason())
                .isEqualTo(new Rejection.SnapshotNotFound(KEY));
        assertThat(created()).hasSize(2);
        assertThat(rig.provider.snapshots).isEmpty();
        assertThat(row()).isEmpty();
    }

    @Test
    void deletionDoesNotWaitForTheNextPoll() {
        rig.gateway.answer(Rpc.CREATE_SNAPSHOT, request -> cut(false));
        var unused = create();
        rig.clock.run();
        rig.done(engine.snapshots().delete(KEY));
        assertThat(created()).hasSize(1);
        assertThat(rig.gateway
                        .request(Rpc.DELETE_SNAPSHOT, DeleteSnapshotRequest.class)
                        .snapshotId())
                .isEqualTo(SnapshotId.of("s1"));
        assertThat(row()).isEmpty();
    }

    @Test
    void refusedSnapshotStaysUntilItIsDeleted() {
        rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        SnapshotFailedException failed = rig.failedLater(create(), SnapshotFailedException.class);
        assertThat(failed).hasMessageContainingAll(KEY.toString(), "INVALID_ARGUMENT", "delete it");
        assertThat(failed.snapshot().phase()).isEqualTo(SnapshotPhase.FAILED);
        assertThat(row()).contains(failed.snapshot());
        rig.done(engine.snapshots().delete(KEY));
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
        assertThat(row()).isEmpty();
        assertThat(rig.later(create()).spec().providerName())
                .as("a new row has a new name")
                .isNotEqualTo(failed.snapshot().spec().providerName());
    }

    @Test
    void snapshotThatFailsAfterItWasMadeIsDeletedByItsId() {
        rig.gateway
                .answer(Rpc.CREATE_SNAPSHOT, request -> cut(false))
                .fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        SnapshotFailedException failed = rig.failedLater(create(), SnapshotFailedException.class);
        assertThat(failed.snapshot().snapshotId()).contains(SnapshotId.of("s1"));
        rig.later(engine.snapshots().delete(KEY));
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).hasSize(1);
        assertThat(row()).isEmpty();
    }

    @Test
    void refusalAfterALostCallLeavesARowThatOnlyAnOperatorRemoves() {
        rig.gateway
                .lose(Rpc.CREATE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED)
                .fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        SnapshotFailedException failed = rig.failedLater(create(), SnapshotFailedException.class);
        String name = failed.snapshot().spec().providerName();
        assertThat(failed).hasMessageContainingAll("may have", name, "forget");
        assertThat(row().orElseThrow().phase()).isEqualTo(SnapshotPhase.MAYBE_LEAKED);
        assertThat(rig.failed(engine.snapshots().delete(KEY), RejectedException.class))
                .hasMessageContainingAll(name, "forget");
        rig.done(engine.snapshots().forget(KEY, "removed at the array"));
        assertThat(row()).isEmpty();
    }

    @Test
    void fullStorageEndsTheCreation() {
        rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(rig.failedLater(create(), SnapshotFailedException.class)).hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThat(row().orElseThrow().phase()).isEqualTo(SnapshotPhase.FAILED);
        assertThat(created()).hasSize(1);
    }

    /** The provider has deleted the snapshot, and the answer is lost: the call is repeated until one is answered. */
    @Test
    void deletionWithoutAnswerIsRepeatedUntilItIsAnswered() {
        rig.later(create());
        rig.gateway
                .lose(Rpc.DELETE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED)
                .lose(Rpc.DELETE_SNAPSHOT, StatusCode.DEADLINE_EXCEEDED)
                .fail(Rpc.DELETE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        CompletableFuture<Void> deletion = engine.snapshots().delete(KEY);
        rig.clock.run();
        assertThat(rig.provider.snapshots).isEmpty();
        assertThat(row().orElseThrow().phase()).isEqualTo(SnapshotPhase.DELETING);
        assertThat(row().orElseThrow().retry().lastError().orElseThrow()).contains("DEADLINE_EXCEEDED");
        rig.later(deletion);
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).hasSizeGreaterThan(3);
        assertThat(row()).isEmpty();
    }

    /** A server that died in a deletion may have made the call; the next leader makes it again. */
    @Test
    void nextLeaderRepeatsADeletionThatNeverEnds() {
        SnapshotId id = rig.later(create()).snapshotId().orElseThrow();
        rig.gateway.plan(Rpc.DELETE_SNAPSHOT, call -> {
            var unused = rig.provider.answer(call);
            return new CompletableFuture<>();
        });
        var unused = engine.snapshots().delete(KEY);
        rig.clock.run();
        assertThat(row()).isPresent();
        engine = leading();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT))
                .hasSize(2)
                .allSatisfy(request -> assertThat(((DeleteSnapshotRequest) request).snapshotId())
                        .isEqualTo(id));
        assertThat(row()).isEmpty();
    }

    /** The plugin returns the same snapshot again for the same name (R76). */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answerWhoseStorageIsNotConfirmedIsAskedForAgainUnlessItIsStored(boolean applied) {
        rig.gateway.plan(Rpc.CREATE_SNAPSHOT, call -> {
            rig.log.lose(1, applied);
            return rig.provider.answer(call);
        });
        VolumeSnapshot ready = rig.later(create());
        assertThat(ready.phase()).isEqualTo(SnapshotPhase.READY);
        assertThat(created()).hasSize(applied ? 1 : 2);
        assertThat(created().stream().distinct()).hasSize(1);
        assertThat(rig.provider.snapshots).hasSize(1);
    }

    @Test
    void answerAboutAnotherVolumeIsNoAnswer() {
        rig.gateway.answer(
                Rpc.CREATE_SNAPSHOT,
                request ->
                        new CreateSnapshotResponse(Snapshot.builder(SnapshotId.of("s9"), ExternalVolumeId.of("foreign"))
                                .readyToUse(true)
                                .build()));
        CompletableFuture<VolumeSnapshot> creation = create();
        rig.clock.run();
        assertThat(row().orElseThrow().provided()).isEmpty();
        assertThat(row().orElseThrow().retry().lastError().orElseThrow()).contains("foreign");
        assertThat(rig.later(creation).snapshotId()).isNotEqualTo(Optional.of(SnapshotId.of("s9")));
    }

    @Test
    void keyWithOtherValuesIsRefused() {
        var unused = rig.done(engine.volumes().create(COPY, VolumeRig.spec().build()));
        rig.later(create());
        assertThat(rig.failed(engine.snapshots().create(KEY, COPY, Map.of("tier", "cold")), RejectedException.class))
                .hasMessageContainingAll(KEY.toString(), "other values", "another name");
        assertThat(rig.failed(engine.snapshots().create(KEY, VolumeRig.VOL, Map.of()), RejectedException.class))
                .hasMessageContaining("other values");
        rig.gateway.hang(Rpc.DELETE_SNAPSHOT);
        var deletion = engine.snapshots().delete(KEY);
        rig.clock.run();
        assertThat(deletion).isNotDone();
        assertThat(rig.failed(create(), RejectedException.class)).hasMessageContaining("being deleted");
    }

    @Test
    void snapshotOfAVolumeThatIsBeingDeletedIsRefused() {
        rig.gateway.hang(Rpc.DELETE_VOLUME);
        var deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(deletion).isNotDone();
        assertThat(rig.failed(create(), RejectedException.class).reason()).isInstanceOf(Rejection.WrongPhase.class);
        assertThat(row()).isEmpty();
    }

    @Test
    void volumeIsDeletedOnlyAfterItsSnapshotIsMade() {
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.ABORTED);
        }
        CompletableFuture<VolumeSnapshot> creation = create();
        rig.clock.run();
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.gateway.forgetPlanned(Rpc.CREATE_SNAPSHOT);
        while (!creation.isDone()) {
            rig.clock.advance(Duration.ofSeconds(1));
        }
        rig.clock.run();
        assertThat(deletion).as("the end of the creation wakes the deletion").isCompleted();
        assertThat(creation).isCompleted();
    }

    @Test
    void snapshotIsDeletedOnlyAfterTheVolumeFromItIsMade() {
        SnapshotId id = rig.later(create()).snapshotId().orElseThrow();
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.ABORTED);
        }
        CompletableFuture<Volume> copy = engine.volumes()
                .create(
                        COPY,
                        VolumeRig.spec()
                                .contentSource(VolumeContentSource.snapshot(id))
                                .build());
        rig.clock.run();
        CompletableFuture<Void> deletion = engine.snapshots().delete(KEY);
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(deletion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
        assertThat(row().orElseThrow().retry().lastError().orElseThrow()).contains(COPY.toString());
        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(copy).isCompleted();
        assertThat(deletion).isCompleted();
    }

    @Test
    void snapshotsAreListedByNamespaceAndVolume() {
        VolumeSnapshot nightly = rig.later(create());
        var unused = rig.done(engine.volumes().create(COPY, VolumeRig.spec().build()));
        VolumeSnapshot other = rig.later(engine.snapshots().create(SnapshotKey.of("default", "a"), COPY, Map.of()));
        VolumeSnapshot elsewhere =
                rig.later(engine.snapshots().create(SnapshotKey.of("team", "b"), VolumeRig.VOL, Map.of()));
        Namespace namespace = KEY.namespace();
        assertThat(rig.done(engine.snapshots().list(namespace, Optional.empty())))
                .containsExactly(other, nightly);
        assertThat(rig.done(engine.snapshots().list(namespace, Optional.of(VolumeRig.VOL))))
                .containsExactly(nightly);
        assertThat(rig.done(engine.snapshots().list(Namespace.of("team"), Optional.empty())))
                .containsExactly(elsewhere);
        assertThat(rig.done(engine.snapshots().get(KEY))).contains(nightly);
        assertThat(rig.done(engine.snapshots().get(SnapshotKey.of("team", "nightly"))))
                .isEmpty();
    }
}
