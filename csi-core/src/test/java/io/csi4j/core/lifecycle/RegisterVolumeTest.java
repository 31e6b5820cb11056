package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RegisterVolumeTest {
    private final VolumeRig rig = VolumeRig.started();

    @Test
    void registrationIsStoredAfterPluginConfirmedIt() {
        VolumeSpec spec = VolumeRig.spec()
                .parameters(Map.of("type", "ssd"))
                .volumeContext(VolumeContext.of(Map.of("share", "a")))
                .build();
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
            return rig.provider.answer(call);
        });
        Volume volume = rig.done(rig.engine().volumes().register(VolumeRig.VOL, spec));
        assertThat(volume).isEqualTo(rig.volume());
        var sent = rig.gateway.request(Rpc.VALIDATE_VOLUME_CAPABILITIES, ValidateVolumeCapabilitiesRequest.class);
        assertThat(sent.volumeId())
                .as("without an external id the volume id is sent")
                .isEqualTo(ExternalVolumeId.of("vol"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(sent.volumeContext()).isEqualTo(spec.volumeContext());
        assertThat(sent.parameters()).isEqualTo(spec.parameters());
    }

    @Test
    void unconfirmedRegistrationIsRejectedAndNotStored() {
        rig.gateway
                .answer(
                        Rpc.VALIDATE_VOLUME_CAPABILITIES,
                        request -> new ValidateVolumeCapabilitiesResponse(Optional.empty(), ""))
                .answer(
                        Rpc.VALIDATE_VOLUME_CAPABILITIES,
                        request -> new ValidateVolumeCapabilitiesResponse(
                                Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                        VolumeContext.empty(), List.of(), Map.of(), Map.of())),
                                ""));
        for (int i = 0; i < 2; i++) {
            assertThat(rig.failed(
                            rig.engine()
                                    .volumes()
                                    .register(VolumeRig.VOL, VolumeRig.spec().build()),
                            CsiRequestException.class))
                    .hasMessageContaining("requestedCapabilities");
        }
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void registrationIsRejectedIfPluginConfirmsDifferentCapability() {
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            var request = (ValidateVolumeCapabilitiesRequest) call.request();
            return CompletableFuture.completedFuture(new ValidateVolumeCapabilitiesResponse(
                    Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                            VolumeContext.of(Map.of("share", "b")), request.volumeCapabilities(), Map.of(), Map.of())),
                    ""));
        });
        VolumeSpec spec = VolumeRig.spec()
                .volumeContext(VolumeContext.of(Map.of("share", "a")))
                .build();
        assertThat(rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class))
                .hasMessageContaining("volumeContext")
                .hasMessageNotContaining("share");
    }

    @Test
    void registrationForUnknownPluginFailsWithErrorThatContainsPlugin() {
        VolumeRig empty = new VolumeRig();
        assertThat(empty.failed(
                        empty.engine()
                                .volumes()
                                .register(VolumeRig.VOL, VolumeRig.spec().build()),
                        CsiRequestException.class))
                .hasMessageContaining("p, and no node has reported such a plugin");
    }

    @Test
    void registrationIsRejectedAtOnceIfNoControllerIsHealthy() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        assertThat(rig.failed(
                        rig.engine()
                                .volumes()
                                .register(VolumeRig.VOL, VolumeRig.spec().build()),
                        CsiRequestException.class))
                .hasMessageContainingAll(
                        "pluginId is p, and no healthy controller of it can confirm the volume",
                        "on node n1 is not healthy",
                        "on node n2 is not healthy",
                        "waitForPlugin");
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void invalidRegistrationReportsAllProblemsAndCallsNoPlugin() {
        VolumeSpec spec = VolumeSpec.builder(VolumeRig.PLUGIN)
                .parameters(Map.of("k", "v".repeat(5000)))
                .restore();
        CsiRequestException failure =
                rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class);
        assertThat(failure.problems()).hasSize(2);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void secondRegistrationOfExternalIdIsRejectedBeforeCallingPlugin() {
        VolumeLifecycle engine = rig.engine();
        VolumeSpec spec =
                VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("x")).build();
        rig.done(engine.volumes().register(VolumeRig.VOL, spec));
        RejectedException failure =
                rig.failed(engine.volumes().register(VolumeKey.of("default", "alias"), spec), RejectedException.class);
        assertThat(failure).hasMessageContaining("default/vol");
        assertThat(rig.gateway.calls()).hasSize(1);
    }

    @Test
    void registrationsOfOneVolumeUnderTwoKeysAskThePluginOneAfterTheOther() {
        VolumeLifecycle engine = rig.engine();
        VolumeSpec spec =
                VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("x")).build();
        rig.gateway.leaveOpen();
        CompletableFuture<Volume> first = engine.volumes().register(VolumeRig.VOL, spec);
        CompletableFuture<Volume> second = engine.volumes().register(VolumeKey.of("default", "alias"), spec);
        rig.run();
        rig.gateway.answer();
        rig.gateway.only().succeed();
        rig.done(first);
        rig.failed(second, RejectedException.class);
    }

    @Test
    void changeOfImmutableFieldIsRejectedBeforeCallingPlugin() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes()
                .register(
                        VolumeRig.VOL,
                        VolumeRig.spec().parameters(Map.of("a", "1")).build()));
        RejectedException failure = rig.failed(
                engine.volumes()
                        .register(
                                VolumeRig.VOL,
                                VolumeRig.spec().parameters(Map.of("a", "2")).build()),
                RejectedException.class);
        assertThat(failure).hasMessageContaining("parameters");
        assertThat(rig.gateway.calls()).hasSize(1);
    }

    @Test
    void registrationWithLargerCapacityRangeDoesNotExpandVolume() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes()
                .register(
                        VolumeRig.VOL,
                        VolumeRig.spec()
                                .capacityRange(CapacityRange.atLeast(1 << 30))
                                .build()));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
        assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.atLeast(1 << 30));
        assertThat(rig.volume().toBeExpanded()).isFalse();
    }

    @Test
    void registrationIsRetriedAfterLostResponseAndFailsAfterRefusal() {
        rig.gateway.fail(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.DEADLINE_EXCEEDED);
        rig.later(
                rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.gateway.fail(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.INVALID_ARGUMENT);
        assertThat(rig.failed(
                                rig.engine()
                                        .volumes()
                                        .register(
                                                VolumeRig.VOL, VolumeRig.spec().build()),
                                CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }

    @Test
    void repeatedRegistrationWithEqualFieldsChangesNothing() {
        VolumeLifecycle engine = rig.engine();
        Volume first = rig.done(
                engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        assertThat(rig.done(engine.volumes()
                        .register(VolumeRig.VOL, VolumeRig.spec().build())))
                .isEqualTo(first);
    }

    /** A row that is made by the registration may stand for any volume of the provider. */
    @Test
    void changeNeedsManagementIfTheRowIsRemovedWhileThePluginIsAsked() {
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.access = (caller, request) -> !request.permission().equals(Permission.MANAGEMENT);
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
            return rig.provider.answer(call);
        });
        rig.failed(
                rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()), AccessDeniedException.class);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void deregistrationDoesNotRemoveAVolumeThatItHasNotRead() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        Volume first = rig.volume();
        rig.log.beforeSubmit = command -> {
            rig.log.beforeSubmit = none -> {};
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
            rig.ok(new VolumeCommand.RegisterVolume(
                    VolumeRig.VOL, first.spec(), VolumeOrigin.REGISTERED, ProviderFacts.none(), rig.now()));
        };
        rig.later(engine.volumes().deregister(VolumeRig.VOL));
        assertThat(rig.volume().createIndex()).isGreaterThan(first.createIndex());
    }

    @Test
    void deregistrationRemovesVolume() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes().deregister(VolumeRig.VOL));
        assertThat(rig.done(engine.volumes().get(VolumeRig.VOL))).isEmpty();
    }

    @Test
    void concurrentRegistrationsOfOneVolumeDoNotOverlapAtPlugin() {
        VolumeLifecycle engine = rig.engine();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> answer);
        CompletableFuture<Volume> one =
                engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build());
        CompletableFuture<Volume> other =
                engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        assertThat(rig.gateway.requests(Rpc.VALIDATE_VOLUME_CAPABILITIES)).hasSize(1);
        answer.completeExceptionally(
                HandGateway.failure(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.INVALID_ARGUMENT));
        rig.failed(one, CsiCallException.class);
        assertThat(rig.done(other)).isEqualTo(rig.volume());
        assertThat(rig.gateway.requests(Rpc.VALIDATE_VOLUME_CAPABILITIES)).hasSize(2);
    }

    @Test
    void registrationOfVolumeUnknownToPluginFailsAtOnce() {
        rig.gateway.fail(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.NOT_FOUND);
        VolumeSpec spec = VolumeRig.spec()
                .externalVolumeId(ExternalVolumeId.of("vol-mistyped"))
                .build();
        CsiRequestException failure =
                rig.failed(rig.engine().volumes().register(VolumeRig.VOL, spec), CsiRequestException.class);
        assertThat(failure.problems()).extracting(Problem::field).containsExactly("externalVolumeId");
        assertThat(failure)
                .hasMessageContaining("vol-mistyped")
                .hasMessageContaining("plugin p")
                .hasMessageNotContaining("nothing was sent");
        assertThat(rig.gateway.requests(Rpc.VALIDATE_VOLUME_CAPABILITIES)).hasSize(1);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();

        rig.gateway.fail(Rpc.VALIDATE_VOLUME_CAPABILITIES, StatusCode.NOT_FOUND);
        assertThat(rig.failed(
                        rig.engine()
                                .volumes()
                                .register(VolumeRig.VOL, VolumeRig.spec().build()),
                        CsiRequestException.class))
                .hasMessageContaining("externalVolumeId is left out, so it is the volume id vol");
    }

    @Test
    void errorForUnfinishedRegistrationSaysThatNothingWasStored() {
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        UnfinishedException failure = rig.failedLater(
                rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("nothing was stored").hasMessageNotContaining("opposite");
    }

    @Test
    void errorForUnfinishedCreationSaysThatIntentIsStored() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        UnfinishedException failure = rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("the intent is stored");
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
    }

    @Test
    void errorForUnfinishedSnapshotSaysThatNothingWasStored() {
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        UnfinishedException failure = rig.failedLater(
                rig.engine().snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "s")), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("nothing was stored").hasMessageContaining("the plugin may have");
    }

    @Test
    void errorForUnfinishedDeregistrationSaysThatItsOutcomeIsUnknown() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.log.lose(100, false);
        UnfinishedException failure =
                rig.failedLater(engine.volumes().deregister(VolumeRig.VOL), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("is not known");
    }
}
