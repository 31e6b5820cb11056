package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A creation does not end, and a scheduler or an operator gives it up. */
class WithdrawnCreationTest {
    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle engine = leading();

    private VolumeLifecycle leading() {
        VolumeLifecycle started = rig.engine();
        started.startLeading();
        rig.clock.run();
        return started;
    }

    private void always(StatusCode code) {
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, code);
        }
    }

    private CompletableFuture<Volume> create(VolumeSpec spec) {
        CompletableFuture<Volume> creation = engine.volumes().create(VolumeRig.VOL, spec);
        rig.clock.run();
        return creation;
    }

    private CompletableFuture<Volume> create() {
        return create(VolumeRig.spec().build());
    }

    private Optional<WithdrawnCreation> withdraw() {
        return rig.done(engine.operator().withdrawCreation(VolumeRig.VOL, "placed elsewhere"));
    }

    private int calls() {
        return rig.gateway.requests(Rpc.CREATE_VOLUME).size();
    }

    private String lastName() {
        return rig.gateway.request(Rpc.CREATE_VOLUME, CreateVolumeRequest.class).name();
    }

    @Test
    void creationWithoutRoomEndsWithItsWithdrawal() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        CompletableFuture<Volume> creation = create();
        assertThat(rig.volume().creationForecast()).isEqualTo(CreationForecast.NO_ROOM);
        String name = lastName();

        WithdrawnCreation record = withdraw().orElseThrow();
        assertThat(record.name()).isEqualTo(name);
        assertThat(record.forecast()).isEqualTo(CreationForecast.NO_ROOM);
        assertThat(record.withdrawn().reason()).isEqualTo("placed elsewhere");
        assertThat(rig.failed(creation, RefusedException.class)).hasMessageContaining("withdrawn");
        int made = calls();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(calls()).as("the plugin is called no more").isEqualTo(made);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.done(engine.operator().withdrawnCreations())).containsExactly(record);
    }

    @Test
    void keyOfAWithdrawnCreationIsUsableAtOnceUnderAnotherNameAtTheProvider() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        String name = lastName();
        assertThat(withdraw()).isPresent();
        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        rig.done(create());
        assertThat(lastName()).isNotEqualTo(name);
    }

    @Test
    void orphanSearchKnowsTheWithdrawnCreation() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        WithdrawnCreation record = withdraw().orElseThrow();
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(List.of(), ""));
        OrphanedVolumes found = rig.done(engine.operator().orphanedVolumes(VolumeRig.PLUGIN));
        assertThat(found.withdrawn()).containsExactly(record);
        assertThat(found.unresolved()).as("no creation is unfinished").isEmpty();
    }

    @Test
    void lostAnswerIsUnclearAndStaysSoAfterAnAnswerWithoutRoom() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        assertThat(rig.volume().creationForecast()).isEqualTo(CreationForecast.UNCLEAR);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.volume().creationForecast()).isEqualTo(CreationForecast.UNCLEAR);
        assertThat(withdraw().orElseThrow().forecast()).isEqualTo(CreationForecast.UNCLEAR);
    }

    @Test
    void withdrawalDoesNotWaitForACallThatHangsAndLearnsItsAnswerLater() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(
                Rpc.CREATE_VOLUME, call -> rig.provider.answer(call).thenCombine(answer, (made, late) -> made));
        var unused = create();
        WithdrawnCreation record = withdraw().orElseThrow();
        assertThat(record.externalVolumeId()).isEmpty();
        assertThat(answer.complete("now")).isTrue();
        rig.clock.run();
        WithdrawnCreation made =
                rig.done(engine.operator().withdrawnCreations()).get(0);
        assertThat(made.externalVolumeId())
                .as("the volume that came to exist after all")
                .isPresent();

        rig.done(engine.volumes()
                .register(
                        VolumeRig.VOL,
                        VolumeRig.spec()
                                .externalVolumeId(made.externalVolumeId().get())
                                .build()));
        assertThat(rig.done(engine.operator().withdrawnCreations()))
                .as("a row has the volume now")
                .isEmpty();
    }

    @Test
    void lateRefusalOfTheOnlyCallProvesThatNothingWasMade() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> answer);
        var unused = create();
        assertThat(withdraw()).isPresent();
        assertThat(answer.completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT)))
                .isTrue();
        rig.clock.run();
        assertThat(rig.done(engine.operator().withdrawnCreations())).isEmpty();
    }

    @Test
    void creationWithoutAnyCallLeavesNoRecord() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        var unused = create();
        assertThat(withdraw()).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.done(engine.operator().withdrawnCreations())).isEmpty();
    }

    @Test
    void deletionOfACreationWithoutAnyCallEndsAtOnce() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        var unused = create();
        rig.done(engine.volumes().delete(VolumeRig.VOL));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void deletionOfACreationWithoutRoomEndsOnRecord() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(deletion).isCompleted();
        int made = calls();
        assertThat(made).isLessThan(10);
        rig.clock.advance(Duration.ofDays(1));
        assertThat(calls()).isEqualTo(made);
        assertThat(rig.done(engine.operator().withdrawnCreations()))
                .extracting(WithdrawnCreation::volume)
                .containsExactly(VolumeRig.VOL);
    }

    @Test
    void deletionOfAnUnfinishedCreationCanBeWithdrawnToo() {
        always(StatusCode.INTERNAL);
        var unused = create();
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(deletion).isNotDone();
        assertThat(withdraw()).isPresent();
        assertThat(deletion).isCompleted();
    }

    @Test
    void nameOfOnesOwnStaysTakenAtThePluginUntilTheRecordIsForgotten() {
        VolumeSpec named = VolumeRig.spec().name("mine").build();
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create(named);
        WithdrawnCreation record = withdraw().orElseThrow();
        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        assertThat(rig.failed(create(named), CsiRequestException.class))
                .hasMessageContaining("mine")
                .hasMessageContaining("withdrawn creation");
        rig.done(engine.operator().forgetWithdrawnCreation(record.key(), "the array has no volume mine"));
        rig.done(create(named));
        assertThat(lastName()).isEqualTo("mine");
        assertThat(rig.failed(
                        engine.operator().forgetWithdrawnCreation(record.key(), "again"), CsiRequestException.class))
                .hasMessageContaining("mine");
    }

    @Test
    void volumeThatTheProviderHasMadeCannotBeWithdrawn() {
        rig.done(create());
        rig.failed(engine.operator().withdrawCreation(VolumeRig.VOL, "late"), RejectedException.class);
        assertThat(rig.volume().externalVolumeId()).isPresent();
    }

    @Test
    void withdrawalWhoseAnswerWasLostIsDone() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        rig.log.lose(1, true);
        assertThat(rig.later(engine.operator().withdrawCreation(VolumeRig.VOL, "placed elsewhere")))
                .isPresent();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void withdrawalNeedsWritePermissionAndAReason() {
        always(StatusCode.RESOURCE_EXHAUSTED);
        var unused = create();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rig.done(engine.operator().withdrawCreation(VolumeRig.VOL, "")));
        rig.access =
                (caller, request) -> !request.equals(Access.in(VolumeRig.VOL.namespace(), Permission.VOLUME_WRITE));
        rig.failed(rig.engine().operator().withdrawCreation(VolumeRig.VOL, "mine"), AccessDeniedException.class);
    }
}
