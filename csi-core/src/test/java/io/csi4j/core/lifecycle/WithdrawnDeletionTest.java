package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator takes the deletion of a volume back. */
class WithdrawnDeletionTest {
    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle engine = leading();

    private VolumeLifecycle leading() {
        VolumeLifecycle started = rig.engine();
        started.startLeading();
        rig.clock.run();
        return started;
    }

    /** A deletion that the plugin answers with this code until it is asked otherwise. */
    private CompletableFuture<Void> failing(StatusCode code) {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        for (int i = 0; i < 20; i++) {
            rig.gateway.fail(Rpc.DELETE_VOLUME, code);
        }
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        rig.gateway.calls().clear();
        return deletion;
    }

    private void unhealthy() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
    }

    @Test
    void withdrawnDeletionMakesVolumeAvailableIfPluginConfirmsThatVolumeExists() {
        CompletableFuture<Void> deletion = failing(StatusCode.INTERNAL);
        Volume volume = rig.done(engine.operator().withdrawDeletion(VolumeRig.VOL));
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway
                        .request(Rpc.VALIDATE_VOLUME_CAPABILITIES, ValidateVolumeCapabilitiesRequest.class)
                        .volumeId())
                .isEqualTo(ExternalVolumeId.of("ext-1"));
        rig.gateway.calls().clear();
        assertThat(rig.failedLater(deletion, RefusedException.class)).hasMessageContaining("withdrawn");
        assertThat(rig.gateway.rpcs()).as("the deletion is not retried").doesNotContain(Rpc.DELETE_VOLUME);
        assertThat(rig.provider.volumes).hasSize(1);
    }

    @Test
    void withdrawalFailsIfProviderHasDeletedVolume() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.gateway.lose(Rpc.DELETE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.gateway.fail(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.NOT_FOUND);
        CompletableFuture<Volume> withdrawal = engine.operator().withdrawDeletion(VolumeRig.VOL);
        CsiRequestException failure = rig.failed(withdrawal, CsiRequestException.class);
        assertThat(failure).hasMessageContaining("default/vol").hasMessageContaining("ext-1");
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL).map(Volume::phase))
                .isNotEqualTo(Optional.of(VolumePhase.AVAILABLE));
        rig.later(deletion);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void withdrawalWaitsForDeleteCallInFlight() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.DELETE_VOLUME, call -> answer);
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        CompletableFuture<Volume> withdrawal = engine.operator().withdrawDeletion(VolumeRig.VOL);
        rig.clock.run();
        assertThat(withdrawal).isNotDone();
        assertThat(rig.gateway.requests(Rpc.VALIDATE_VOLUME_CAPABILITIES)).isEmpty();
        rig.provider.volumes.clear();
        answer.complete(null);
        rig.done(deletion);
        assertThat(rig.failed(withdrawal, RejectedException.class).reason())
                .isInstanceOf(Rejection.VolumeNotFound.class);
    }

    @Test
    void volumeStaysInDeletionIfPluginDoesNotConfirmThatVolumeExists() {
        CompletableFuture<Void> deletion = failing(StatusCode.INTERNAL);
        rig.gateway.answer(
                Rpc.VALIDATE_VOLUME_CAPABILITIES,
                request -> new ValidateVolumeCapabilitiesResponse(Optional.empty(), ""));
        rig.failed(engine.operator().withdrawDeletion(VolumeRig.VOL), CsiRequestException.class);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(deletion).isNotDone();
    }

    @Test
    void volumeOfRemovedPluginStaysDeletingUntilForcedDeregistration() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        unhealthy();
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        UnfinishedException unfinished =
                rig.failedLater(engine.operator().withdrawDeletion(VolumeRig.VOL), UnfinishedException.class);
        assertThat(unfinished).hasMessageContaining("no healthy controller");
        assertThat(deletion).isCompletedExceptionally();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        RejectedException kept = rig.failed(engine.volumes().deregister(VolumeRig.VOL), RejectedException.class);
        assertThat(kept.reason()).isEqualTo(new Rejection.DeletionUnfinished(VolumeRig.VOL));
        assertThat(kept).hasMessageContaining("forget").hasMessageContaining("withdraw");
        rig.done(engine.operator().forgetVolume(VolumeRig.VOL, "by the test"));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.provider.volumes).as("the provider keeps the volume").hasSize(1);
    }

    @Test
    void withdrawalFailsForVolumeWithoutExternalId() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeRig.VOL, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
        VolumeLifecycle other = rig.engine();
        rig.ok(new VolumeCommand.SetVolumePhase(VolumeRig.VOL, VolumePhase.DELETING, rig.now()));
        unhealthy();
        other.startLeading();
        CsiRequestException failure =
                rig.failed(other.operator().withdrawDeletion(VolumeRig.VOL), CsiRequestException.class);
        assertThat(failure).hasMessageContaining("not known");
        assertThat(rig.gateway.requests(Rpc.VALIDATE_VOLUME_CAPABILITIES)).isEmpty();
    }

    @Test
    void withdrawalForVolumeWithoutDeletionRequestReturnsVolumeUnchanged() {
        Volume made =
                rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.gateway.calls().clear();
        assertThat(rig.done(engine.operator().withdrawDeletion(VolumeRig.VOL))).isEqualTo(made);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void withdrawalForVolumeBeingCreatedIsRejected() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> creation =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        assertThat(rig.failed(engine.operator().withdrawDeletion(VolumeRig.VOL), RejectedException.class)
                        .reason())
                .isInstanceOf(Rejection.WrongPhase.class);
        assertThat(creation).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lostAnswerOfTheLogIsRepeated(boolean applied) {
        CompletableFuture<Void> deletion = failing(StatusCode.INTERNAL);
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            rig.log.lose(1, applied);
            return rig.provider.answer(call);
        });
        assertThat(rig.later(engine.operator().withdrawDeletion(VolumeRig.VOL)).phase())
                .isEqualTo(VolumePhase.AVAILABLE);
        rig.failed(deletion, RefusedException.class);
    }

    @Test
    void withdrawalFailsOnNonLeadingServer() {
        CompletableFuture<Void> deletion = failing(StatusCode.INTERNAL);
        engine.stopLeading();
        rig.failed(engine.operator().withdrawDeletion(VolumeRig.VOL), NotLeadingException.class);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(deletion).isNotDone();
    }

    @Test
    void withdrawalWithoutWritePermissionIsDenied() {
        rig.access =
                (caller, request) -> !request.equals(Access.in(VolumeRig.VOL.namespace(), Permission.VOLUME_WRITE));
        rig.failed(rig.engine().operator().withdrawDeletion(VolumeRig.VOL), AccessDeniedException.class);
    }
}
