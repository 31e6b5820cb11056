package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CreateVolumeTest {
    private final VolumeRig rig = VolumeRig.started();

    private static ExternalVolume.Builder answered(String id) {
        return ExternalVolume.builder(ExternalVolumeId.of(id));
    }

    @Test
    void createStoresAndReturnsFactsReportedByPlugin() {
        VolumeSpec spec = VolumeRig.spec()
                .parameters(Map.of("type", "ssd"))
                .mutableParameters(Map.of("iops", "100"))
                .capacityRange(CapacityRange.atLeast(100))
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of("zone", "z1")))
                .build();
        Volume volume = rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec));
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(volume.remoteId()).isEqualTo(ExternalVolumeId.of("ext-1"));
        assertThat(volume.facts().capacityBytes()).isEqualTo(100);
        assertThat(volume.volumeContext()).isEqualTo(VolumeContext.of(Map.of("made", "here")));
        assertThat(volume.facts().accessibleTopology()).containsExactly(Topology.of("zone", "z1"));
        CreateVolumeRequest sent = rig.gateway.request(Rpc.CREATE_VOLUME, CreateVolumeRequest.class);
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(sent.parameters()).containsEntry("type", "ssd");
        assertThat(sent.mutableParameters()).containsEntry("iops", "100");
        assertThat(sent.accessibilityRequirements()).isEqualTo(spec.accessibilityRequirements());
    }

    @Test
    void createStoresIntentWithVolumeNameBeforeCallingPlugin() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
            assertThat(rig.volume().name()).isEqualTo(((CreateVolumeRequest) call.request()).name());
            return rig.provider.answer(call);
        });
        assertThat(rig.made().phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "ABORTED", "CANCELLED"})
    void createWithLostResponseIsRepeatedWithSameRequest(StatusCode code) {
        rig.gateway.lose(Rpc.CREATE_VOLUME, code);
        Volume volume = rig.later(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        assertThat(rig.provider.volumes).hasSize(1);
        assertThat(volume.remoteId()).isEqualTo(ExternalVolumeId.of("ext-1"));
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME))
                .hasSize(2)
                .containsOnly(rig.gateway.requests(Rpc.CREATE_VOLUME).get(0));
    }

    @Test
    void hungCreateCallTimesOutAndIsRetried() {
        VolumeLifecycle engine = rig.engine();
        rig.run();
        int timersOfIdleEngine = rig.clock.timers();
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> creation =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.advance(rig.options.callTimeout().minusSeconds(1));
        assertThat(creation).isNotDone();
        assertThat(rig.gateway.hanging()).hasSize(1).noneMatch(CompletableFuture::isDone);
        assertThat(rig.later(creation).phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway.hanging()).allMatch(CompletableFuture::isCancelled);
        assertThat(rig.clock.timers()).isEqualTo(timersOfIdleEngine);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void createInterruptedByCrashIsFinishedByNextLeader(boolean tookEffect) {
        if (tookEffect) {
            rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
                rig.provider.answer(call).join();
                return new CompletableFuture<>();
            });
        } else {
            rig.gateway.hang(Rpc.CREATE_VOLUME);
        }
        CompletableFuture<Volume> lost =
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
        rig.engine();
        rig.run();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.provider.volumes).hasSize(1);
        assertThat(lost).as("the request at the crashed server stays open").isNotDone();
    }

    @Test
    void creatingTwiceCreatesOneVolume() {
        VolumeLifecycle engine = rig.engine();
        CompletableFuture<Volume> one =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        CompletableFuture<Volume> two =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        assertThat(rig.done(one)).isEqualTo(rig.done(two));
        assertThat(rig.provider.volumes).hasSize(1);
        assertThat(rig.gateway.maxInFlight()).isEqualTo(1);
        assertThat(rig.done(
                        engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build())))
                .isEqualTo(rig.volume());
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void createRepeatsCommandWhoseAnswerWasLost(boolean applied) {
        VolumeLifecycle engine = rig.engine();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            rig.log.lose(1, applied);
            return rig.provider.answer(call);
        });
        assertThat(rig.later(engine.volumes()
                                .create(VolumeRig.VOL, VolumeRig.spec().build()))
                        .phase())
                .isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.provider.volumes).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"INVALID_ARGUMENT", "ALREADY_EXISTS", "OUT_OF_RANGE", "UNIMPLEMENTED"})
    void certainRefusalOfFirstAttemptRemovesIntent(StatusCode code) {
        rig.gateway.fail(Rpc.CREATE_VOLUME, code);
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        CsiCallException failure = rig.failed(
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), CsiCallException.class);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @Test
    void leaderPerformsCreationRequestedAtFollower() {
        CompletableFuture<Volume> creation =
                rig.follower().volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.run();
        assertThat(creation).isNotDone();
        assertThat(rig.gateway.calls()).isEmpty();
        rig.ok(new VolumeCommand.RecordProviderFacts(
                VolumeRig.VOL,
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("made-elsewhere"))
                        .build(),
                rig.now()));
        assertThat(rig.done(creation).remoteId()).isEqualTo(ExternalVolumeId.of("made-elsewhere"));
        assertThat(rig.gateway.calls()).isEmpty();
    }

    /** RESOURCE_EXHAUSTED is in the list because a plugin may return it for a limit that it reached after the creation. */
    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"})
    void createIntentStaysIfRefusalFollowsFailureAfterCreation(StatusCode code) {
        rig.gateway.lose(Rpc.CREATE_VOLUME, code);
        for (int refusals = 0; refusals < 200; refusals++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE);
        }
        rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), CsiCallException.class);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        rig.later(rig.engine().volumes().delete(VolumeRig.VOL));
        assertThat(rig.provider.volumes).as("the leaked volume is deleted").isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void creationIsRetriedIfResponseOfFirstInstanceIsLostAndSecondInstanceRefuses() {
        VolumeLifecycle engine = rig.engine();
        engine.startLeading();
        rig.gateway
                .lose(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE)
                .fail(Rpc.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT);
        assertThat(rig.later(engine.volumes()
                                .create(VolumeRig.VOL, VolumeRig.spec().build()))
                        .phase())
                .isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(3);
        assertThat(rig.provider.volumes).hasSize(1);
    }

    @Test
    void createIntentStaysIfRefusalFollowsAttemptOfEarlierLeader() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        var unused =
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.run();
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.engine();
        rig.run();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(2);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
        assertThat(rig.volume().retry().unresolved()).isPresent();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void errorMessageOfSecretsProviderIsNotShown() {
        rig.secrets = query -> CompletableFuture.failedFuture(new IllegalStateException("canary-4711"));
        Throwable failure = rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("see to the secrets provider");
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause).hasMessageNotContaining("canary");
        }
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
    }

    @Test
    void callWhoseSecretsAreAbsentIsNotSentAndFailureSaysHowToGoOn() {
        rig.secrets = query -> CompletableFuture.completedFuture(Optional.empty());
        Throwable failure = rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("the secrets for CreateVolume are absent, so nothing was sent; store");
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
    }

    @Test
    void createRetriesTemporaryFailureUntilOperationTimeout() {
        for (int i = 0; i < 100; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        }
        UnfinishedException failure = rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), UnfinishedException.class);
        assertThat(failure).hasMessageContaining("creation of volume").hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThat(failure.retryable()).isTrue();
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSizeBetween(3, 60);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.CREATING);
    }

    @Test
    void createdVolumeThatIsTooSmallIsDeleted() {
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(
                        answered("small").capacityBytes(99).build()));
        VolumeSpec spec =
                VolumeRig.spec().capacityRange(CapacityRange.atLeast(100)).build();
        WrongAnswerException failure =
                rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), WrongAnswerException.class);
        assertThat(failure).hasMessageContaining("99").hasMessageContaining("being deleted");
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .volumeId())
                .isEqualTo(ExternalVolumeId.of("small"));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void createdVolumeThatDoesNotMatchRequestStaysInStateUntilProviderDeletesIt() {
        rig.gateway
                .answer(
                        Rpc.CREATE_VOLUME,
                        request -> new CreateVolumeResponse(
                                answered("big").capacityBytes(300).build()))
                .fail(Rpc.DELETE_VOLUME, StatusCode.FAILED_PRECONDITION);
        VolumeSpec spec =
                VolumeRig.spec().capacityRange(CapacityRange.between(100, 200)).build();
        rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), WrongAnswerException.class);
        assertThat(rig.volume().phase()).as("the volume cannot be claimed").isEqualTo(VolumePhase.DELETING);
        assertThat(rig.volume().remoteId()).isEqualTo(ExternalVolumeId.of("big"));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void createdVolumeWithWrongOrMissingContentSourceIsDeleted() {
        VolumeSpec spec = VolumeRig.spec()
                .contentSource(VolumeContentSource.snapshot(SnapshotId.of("s1")))
                .build();
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(answered("empty").build()));
        rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), WrongAnswerException.class);
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(answered("other")
                        .contentSource(VolumeContentSource.snapshot(SnapshotId.of("s2")))
                        .build()));
        rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), WrongAnswerException.class);
        rig.options = LifecycleOptions.builder().contentSourceRequired(false).build();
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(answered("silent").build()));
        assertThat(rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec)).remoteId())
                .isEqualTo(ExternalVolumeId.of("silent"));
    }

    @Test
    void createdVolumeWithWrongTopologyIsDeleted() {
        VolumeSpec spec = VolumeRig.spec()
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of("zone", "z1")))
                .build();
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(answered("far")
                        .accessibleTopology(List.of(Topology.of("zone", "z2")))
                        .build()));
        assertThat(rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), WrongAnswerException.class))
                .hasMessageContaining("z2");
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.CREATE_VOLUME, Rpc.DELETE_VOLUME);
    }

    @Test
    void sameIdInTwoNamespacesCreatesTwoVolumes() {
        VolumeLifecycle engine = rig.engine();
        Volume one = rig.done(engine.volumes()
                .create(VolumeKey.of("a", "vol"), VolumeRig.spec().build()));
        Volume two = rig.done(engine.volumes()
                .create(VolumeKey.of("b", "vol"), VolumeRig.spec().build()));
        assertThat(one.remoteId()).isNotEqualTo(two.remoteId());
        assertThat(one.name()).startsWith("vol-").isNotEqualTo(two.name());
    }

    @Test
    void createAfterDeregisterOfTheSameKeyMakesANewVolume() {
        VolumeLifecycle engine = rig.engine();
        Volume old =
                rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes().deregister(VolumeRig.VOL));
        Volume fresh =
                rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        assertThat(fresh.remoteId())
                .as("the old volume with its old data is not returned")
                .isNotEqualTo(old.remoteId());
        assertThat(rig.provider.volumes).hasSize(2);
    }

    @Test
    void registerAfterDeregisterBringsTheOldVolumeBack() {
        VolumeLifecycle engine = rig.engine();
        Volume old =
                rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes().deregister(VolumeRig.VOL));
        Volume back = rig.done(engine.volumes()
                .register(
                        VolumeRig.VOL,
                        VolumeRig.spec().externalVolumeId(old.remoteId()).build()));
        assertThat(back.remoteId()).isEqualTo(old.remoteId());
    }

    @Test
    void twoServersThatCreateWithTheSameNameAtOnceMakeOneVolume() {
        VolumeLifecycle engine = rig.engine();
        VolumeSpec named = VolumeRig.spec().name("shared").build();
        // Both servers have checked their states before either command is in the log.
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", "first"), named, VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
        Outcome second = rig.log
                .submit(new VolumeCommand.RegisterVolume(
                        VolumeRig.VOL, named, VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()))
                .join();
        assertThat(second)
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.reason().message())
                                .contains("default/first", "choose another one"));
        assertThat(rig.failed(engine.volumes().create(VolumeRig.VOL, named), CsiRequestException.class))
                .hasMessageContaining("default/first");
    }

    @Test
    void createWithNameOfAnotherVolumeIsRejected() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes()
                .create(VolumeRig.VOL, VolumeRig.spec().name("shared").build()));
        CsiRequestException failure = rig.failed(
                engine.volumes()
                        .create(
                                VolumeKey.of("default", "other"),
                                VolumeRig.spec().name("shared").build()),
                CsiRequestException.class);
        assertThat(failure).hasMessageContaining("default/vol").hasMessageContaining("choose another one");
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @Test
    void createNeitherAdoptsNorDeletesVolumeRegisteredUnderOtherKey() {
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", "owner"),
                VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("theirs")).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                rig.now()));
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(
                        answered("theirs").capacityBytes(1).build()));
        // Too small as well: an undo would delete the other one's data.
        VolumeSpec spec =
                VolumeRig.spec().capacityRange(CapacityRange.atLeast(100)).build();
        RejectedException failure =
                rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), RejectedException.class);
        assertThat(failure).hasMessageContaining("default/owner");
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.CREATE_VOLUME);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void createFailureContainsExternalIdIfVolumeRowWasRemovedDuringCall() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
            return rig.provider.answer(call);
        });
        assertThat(rig.failed(
                        rig.engine()
                                .volumes()
                                .create(VolumeRig.VOL, VolumeRig.spec().build()),
                        VolumeRemovedException.class))
                .hasMessageContaining("ext-1");
    }

    @Test
    void createReportsAllRequestProblemsBeforeWritingStateOrCallingPlugin() {
        rig.controller.removeAll(
                List.of(ControllerCapability.MODIFY_VOLUME, ControllerCapability.CREATE_DELETE_VOLUME));
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        long index = rig.log.snapshot().index();
        VolumeSpec spec = VolumeRig.spec()
                .externalVolumeId(ExternalVolumeId.of("x"))
                .mutableParameters(Map.of("iops", "1"))
                .build();
        CsiRequestException failure =
                rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec), CsiRequestException.class);
        assertThat(failure.problems()).extracting(problem -> problem.field()).contains("externalVolumeId", "pluginId");
        assertThat(failure).hasMessageContaining("CREATE_DELETE_VOLUME");
        assertThat(rig.log.snapshot().index()).isEqualTo(index);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void createNeedsTheCapabilitiesOfItsFields() {
        rig.controller.removeAll(List.of(
                ControllerCapability.MODIFY_VOLUME,
                ControllerCapability.CLONE_VOLUME,
                ControllerCapability.CREATE_DELETE_SNAPSHOT));
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        assertThat(refusal(VolumeRig.spec().mutableParameters(Map.of("iops", "1"))))
                .hasMessageContaining("MODIFY_VOLUME");
        assertThat(refusal(VolumeRig.spec().contentSource(VolumeContentSource.volume(ExternalVolumeId.of("x")))))
                .hasMessageContaining("CLONE_VOLUME");
        assertThat(refusal(VolumeRig.spec().contentSource(new VolumeContentSource.SnapshotSource(SnapshotId.of("s")))))
                .hasMessageContaining("CREATE_DELETE_SNAPSHOT");
        assertThat(rig.gateway.calls()).isEmpty();
    }

    private CsiRequestException refusal(VolumeSpec.Builder spec) {
        return rig.failed(rig.engine().volumes().create(VolumeRig.VOL, spec.build()), CsiRequestException.class);
    }

    @Test
    void errorOfCreateSaysThatPluginIsUnknownOrHasNoController() {
        VolumeSpec unknown = VolumeSpec.builder(PluginId.of("nobody"))
                .requestedCapabilities(VolumeRig.spec().build().requestedCapabilities())
                .build();
        assertThat(rig.failed(rig.engine().volumes().create(VolumeRig.VOL, unknown), CsiRequestException.class))
                .hasMessageContainingAll("no node has reported such a plugin", "waitForPlugin");
        rig.services.remove(PluginService.CONTROLLER_SERVICE);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        assertThat(rig.failed(
                        rig.engine()
                                .volumes()
                                .create(VolumeRig.VOL, VolumeRig.spec().build()),
                        CsiRequestException.class))
                .hasMessageContaining("has no controller");
    }

    @Test
    void createWaitsForControllerAndThenReportsThatNoneIsAvailable() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        CompletableFuture<Volume> creation =
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(creation).isNotDone();
        rig.fingerprint("n2", true);
        assertThat(rig.later(creation).phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void createOfRegisteredVolumeIsRejected() {
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.failed(rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), CsiRequestException.class);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
    }

    @Test
    void createDuringDeletionIsRejected() {
        rig.made();
        rig.gateway.hang(Rpc.DELETE_VOLUME);
        CompletableFuture<Void> deletion = rig.engine().volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(deletion).isNotDone();
        RejectedException failure = rig.failed(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), RejectedException.class);
        assertThat(failure.reason()).isInstanceOf(Rejection.WrongPhase.class);
    }

    @Test
    void createIsNotRetriedAtOtherInstanceAfterDeletionBegan() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
            return CompletableFuture.failedFuture(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE));
        });
        rig.failedLater(
                rig.engine().volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), VolumeRemovedException.class);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
        assertThat(rig.provider.volumes).isEmpty();
    }
}
