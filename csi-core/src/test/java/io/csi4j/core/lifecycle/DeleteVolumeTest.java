package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeleteVolumeTest {
    private final VolumeRig rig = VolumeRig.started();

    @Test
    void deleteStoresIntentThenCallsPluginThenRemovesVolumeRow() {
        rig.made();
        rig.gateway.plan(Rpc.DELETE_VOLUME, call -> {
            assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
            return rig.provider.answer(call);
        });
        rig.done(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.provider.volumes).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .secrets())
                .isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void deleteOfVolumeInUseIsRejectedBeforeCallingPlugin() {
        rig.made();
        rig.claim("a1", "n1");
        RejectedException failure = rig.failed(rig.engine().volumes().delete(VolumeRig.VOL), RejectedException.class);
        assertThat(failure.reason()).isInstanceOf(Rejection.VolumeInUse.class);
        assertThat(failure).hasMessageContaining("a1");
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void deleteIsRejectedIfTwoVolumesHaveSameExternalId() {
        rig.made();
        Volume one = rig.volume();
        VolumeKey other = VolumeKey.of("default", "a-second-name");
        rig.log.leftBehind(state -> state.putVolume(Volume.builder(other, one.spec(), 1, rig.now())
                .origin(VolumeOrigin.CREATED)
                .facts(one.facts())
                .build()));
        rig.failed(rig.engine().volumes().delete(VolumeRig.VOL), RejectedException.class);
        assertThat(rig.volume().phase()).as("no intent is stored").isEqualTo(VolumePhase.AVAILABLE);
        rig.log.leftBehind(state ->
                state.putVolume(one.toBuilder().phase(VolumePhase.DELETING).build()));
        rig.engine();
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.volume().retry().lastError())
                .hasValueSatisfying(error -> assertThat(error).contains("a-second-name"));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
    }

    @Test
    void deleteOfUnknownVolumeIsRejected() {
        assertThat(rig.failed(rig.engine().volumes().delete(VolumeRig.VOL), RejectedException.class))
                .hasMessageContaining("not registered");
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "ABORTED", "NOT_FOUND", "UNAUTHENTICATED"})
    void deleteRetriesUnknownOutcomesAndCurableFailures(StatusCode code) {
        rig.made();
        rig.gateway.lose(Rpc.DELETE_VOLUME, code);
        rig.later(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(2);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED"})
    void refusedDeleteRestoresVolume(StatusCode code) {
        rig.made();
        rig.gateway.fail(Rpc.DELETE_VOLUME, code);
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        assertThat(rig.failed(engine.volumes().delete(VolumeRig.VOL), RefusedException.class))
                .hasMessageContaining(code.name())
                .hasMessageContaining("nothing was changed");
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.AVAILABLE);
        rig.done(engine.volumes().delete(VolumeRig.VOL));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void refusalAfterDeletionThatEndedWithResourceExhaustedDoesNotRestoreVolume() {
        rig.made();
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.gateway
                .lose(Rpc.DELETE_VOLUME, StatusCode.RESOURCE_EXHAUSTED)
                .fail(Rpc.DELETE_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failedLater(engine.volumes().delete(VolumeRig.VOL), CsiCallException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(3);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED"})
    void refusalAfterLostResponseDoesNotRestoreVolume(StatusCode code) {
        rig.made();
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.gateway.lose(Rpc.DELETE_VOLUME, StatusCode.DEADLINE_EXCEEDED).fail(Rpc.DELETE_VOLUME, code);
        var unused = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSizeGreaterThan(1);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL).map(Volume::phase))
                .isNotEqualTo(Optional.of(VolumePhase.AVAILABLE));
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED"})
    void refusalByOtherInstanceAfterLostResponseDoesNotRestoreVolume(StatusCode code) {
        rig.made();
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.gateway.lose(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE).fail(Rpc.DELETE_VOLUME, code);
        var unused = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(2);
        assertThat(rig.volume().retry().attempts()).isEqualTo(1);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void leaderPerformsDeletionRequestedAtFollower() {
        rig.made();
        CompletableFuture<Void> deletion = rig.follower().volumes().delete(VolumeRig.VOL);
        rig.run();
        assertThat(deletion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, false, rig.now()));
        rig.done(deletion);
    }

    @Test
    void deletionRequestedAtFollowerFailsWhenOperatorWithdrawsIt() {
        rig.made();
        CompletableFuture<Void> deletion = rig.follower().volumes().delete(VolumeRig.VOL);
        rig.run();
        rig.ok(new VolumeCommand.SetVolumePhase(VolumeRig.VOL, VolumePhase.AVAILABLE, rig.now()));
        assertThat(rig.failed(deletion, RefusedException.class)).hasMessageContaining("was withdrawn");
    }

    /** Another server believes that it leads, and begins a call before the first one of this server ends. */
    @Test
    void refusedDeletionIsNotWithdrawnIfAnotherServerPossiblySentDeleteCall() {
        rig.made();
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.log.afterCommand = command -> {
            if (command instanceof VolumeCommand.SetVolumePhase) {
                rig.ok(new CallCommand.BeginCall(
                        VolumeRig.VOL,
                        new CallTarget.OfVolume(rig.volume().createIndex(), VolumePhase.DELETING),
                        rig.now()));
            }
        };
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failed(engine.volumes().delete(VolumeRig.VOL), CsiCallException.class);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.log.commands).noneMatch(DeleteVolumeTest::bringsBack);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    private static boolean bringsBack(Command command) {
        return command instanceof VolumeCommand.SetVolumePhase set && set.phase() == VolumePhase.AVAILABLE;
    }

    @Test
    void newLeaderRetriesInterruptedDeletionThatPluginRefusesAtFirst() {
        rig.made();
        rig.gateway.plan(Rpc.DELETE_VOLUME, call -> new CompletableFuture<>());
        var lost = rig.engine().volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(lost).isNotDone();
        VolumeLifecycle next = rig.engine();
        next.startLeading();
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failed(next.volumes().delete(VolumeRig.VOL), CsiCallException.class);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL).map(Volume::phase))
                .isNotEqualTo(Optional.of(VolumePhase.AVAILABLE));
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deleteInterruptedByCrashIsFinishedByNextLeader(boolean tookEffect) {
        rig.made();
        rig.gateway.plan(Rpc.DELETE_VOLUME, call -> {
            if (tookEffect) {
                rig.provider.answer(call).join();
            }
            return new CompletableFuture<>();
        });
        CompletableFuture<Void> lost = rig.engine().volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(lost).isNotDone();
        rig.engine();
        rig.run();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.provider.volumes).isEmpty();
    }

    @Test
    void concurrentDeletionsOfOneVolumeMakeOneCallAndBothSucceed() {
        rig.made();
        VolumeLifecycle engine = rig.engine();
        CompletableFuture<Void> one = engine.volumes().delete(VolumeRig.VOL);
        CompletableFuture<Void> two = engine.volumes().delete(VolumeRig.VOL);
        rig.done(one);
        rig.done(two);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }

    @Test
    void deletionAfterInterruptedCreationFindsVolumeByNameAndDeletesItAtProvider() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            rig.provider.answer(call).join();
            return new CompletableFuture<>();
        });
        CompletableFuture<?> lost =
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        assertThat(lost).isNotDone();
        rig.done(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.CREATE_VOLUME, Rpc.CREATE_VOLUME, Rpc.DELETE_VOLUME);
        assertThat(rig.provider.volumes).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void deletionAfterInterruptedCreationKeepsVolumeThatIsRegisteredUnderOtherKey() {
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeRig.VOL,
                VolumeRig.spec().name("x").build(),
                VolumeOrigin.CREATED,
                ProviderFacts.none(),
                rig.now()));
        rig.ok(new CallCommand.BeginCall(
                VolumeRig.VOL, new CallTarget.OfVolume(rig.volume().createIndex(), VolumePhase.CREATING), rig.now()));
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", "owner"),
                VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("ext-1")).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                rig.now()));
        rig.done(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.CREATE_VOLUME);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.provider.volumes).hasSize(1);
    }

    @Test
    void errorOfDeleteSaysThatPluginHasNoController() {
        rig.made();
        rig.services.remove(PluginService.CONTROLLER_SERVICE);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        assertThat(rig.failed(rig.engine().volumes().delete(VolumeRig.VOL), CsiRequestException.class))
                .hasMessageContaining("has no controller for deleting volumes");
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void deregistrationCallsNoPluginAndIsRejectedForVolumeInUse() {
        rig.made();
        rig.claim("a1", "n1");
        rig.failed(rig.engine().volumes().deregister(VolumeRig.VOL), RejectedException.class);
        rig.failed(rig.engine().operator().forgetVolume(VolumeRig.VOL, "by the test"), RejectedException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isPresent();
    }

    @Test
    void deleteIsNotRetriedAtOtherInstanceAfterVolumeRowWasRemoved() {
        rig.made();
        rig.gateway.plan(Rpc.DELETE_VOLUME, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, false, rig.now()));
            return CompletableFuture.failedFuture(HandGateway.failure(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE));
        });
        rig.later(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }
}
