package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation on a volume, in every phase of it: the provider is asked only about ids that it gave. */
class PhaseOfOperationsTest {
    private static final AllocationId ALLOCATION = AllocationId.of("a");
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    private final VolumeRig rig = VolumeRig.started();

    /** How far a volume is in its life, and whether its id at the provider is known. */
    enum Situation {
        CREATING,
        AVAILABLE,
        DELETING,
        DELETING_WITHOUT_ID
    }

    /** An operation on a volume, and whether it needs the volume to be AVAILABLE. */
    record Operation(String name, boolean needsAvailable, Function<VolumeLifecycle, CompletableFuture<?>> call) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Operation> operations() {
        VolumeKey other = VolumeKey.of("default", "other");
        return List.of(
                needing("createSnapshot", engine -> engine.snapshots().create(SnapshotRequest.of(VOL, "s"))),
                needing(
                        "createGroupSnapshot",
                        engine -> engine.snapshots()
                                .createGroup(new GroupSnapshotRequest("g", List.of(other, VOL), Map.of()))),
                needing("health", engine -> engine.volumes().health(VOL)),
                needing("expand", engine -> engine.volumes().expand(VOL, CapacityRange.atLeast(1000))),
                needing("modify", engine -> engine.volumes().modify(VOL, Map.of("iops", "200"))),
                any("withdrawExpansion", engine -> engine.operator().withdrawExpansion(VOL)),
                any("health on node", engine -> engine.volumes().health(VOL, ALLOCATION)),
                any("volumeStats", engine -> engine.volumes().stats(VOL, ALLOCATION)),
                any(
                        "create",
                        engine -> engine.volumes().create(VOL, VolumeRig.spec().build())),
                any(
                        "register",
                        engine ->
                                engine.volumes().register(VOL, VolumeRig.spec().build())),
                any("delete", engine -> engine.volumes().delete(VOL)),
                any("deregister", engine -> engine.volumes().deregister(VOL)),
                any("withdrawDeletion", engine -> engine.operator().withdrawDeletion(VOL)),
                any("detach", engine -> engine.operator().detach(VOL, NodeId.of("n1"))),
                any("collect", engine -> engine.operator().recheck(VOL)),
                any(
                        "claim",
                        engine -> engine.claims()
                                .claim(ALLOCATION, List.of(ClaimRequest.of(VOL, ClaimMode.WRITE, SHARED)))),
                any("release", engine -> engine.claims().release(VOL, ALLOCATION)),
                any("overrideClaim", engine -> engine.operator().overrideClaim(VOL, ALLOCATION, "why")),
                any("overrideAttachment", engine -> engine.operator().overrideAttachment(VOL, NodeId.of("n1"), "why")),
                any("reconcile", engine -> engine.operator().reconcile(Rig.PLUGIN, true)));
    }

    private static Operation needing(String name, Function<VolumeLifecycle, CompletableFuture<?>> call) {
        return new Operation(name, true, call);
    }

    private static Operation any(String name, Function<VolumeLifecycle, CompletableFuture<?>> call) {
        return new Operation(name, false, call);
    }

    static Stream<Arguments> operationsAndSituations() {
        return operations().stream()
                .flatMap(operation ->
                        Arrays.stream(Situation.values()).map(situation -> Arguments.of(operation, situation)));
    }

    private void situation(Situation situation) {
        rig.ok(new VolumeCommand.RegisterVolume(
                VOL, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
        if (situation == Situation.AVAILABLE || situation == Situation.DELETING) {
            rig.ok(new VolumeCommand.RecordProviderFacts(
                    VOL,
                    ProviderFacts.builder()
                            .externalVolumeId(ExternalVolumeId.of("ext-vol"))
                            .build(),
                    rig.now()));
        }
        if (situation == Situation.DELETING || situation == Situation.DELETING_WITHOUT_ID) {
            rig.ok(new VolumeCommand.SetVolumePhase(VOL, VolumePhase.DELETING, rig.now()));
        }
    }

    /** The volume ids in the requests to plugins. */
    private List<String> sentIds() throws ReflectiveOperationException {
        List<String> ids = new ArrayList<>();
        for (HandCall call : rig.gateway.calls()) {
            for (Method method : call.request().getClass().getMethods()) {
                if (method.getParameterCount() == 0
                        && List.of("volumeId", "sourceVolumeId", "sourceVolumeIds")
                                .contains(method.getName())) {
                    method.setAccessible(true);
                    Object id = method.invoke(call.request());
                    (id instanceof List<?> several ? several : List.of(id)).forEach(one -> ids.add(one.toString()));
                }
            }
        }
        return ids;
    }

    @ParameterizedTest(name = "{0} while {1}")
    @MethodSource("operationsAndSituations")
    void operationNeverSendsStateKeyAsExternalId(Operation operation, Situation situation)
            throws ReflectiveOperationException {
        VolumeLifecycle engine = rig.follower();
        rig.done(engine.volumes()
                .register(
                        VolumeKey.of("default", "other"),
                        VolumeRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext-other"))
                                .build()));
        situation(situation);
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.gateway.calls().clear();
        engine.startLeading();
        CompletableFuture<?> result = operation.call().apply(engine);
        rig.clock.run();
        // The leader itself finishes creations and deletions.
        assertThat(sentIds()).isSubsetOf("ext-vol", "ext-other", "ext-1");
        assertThat(result.isDone() || operation.name().equals("claim")).isTrue();
    }

    @ParameterizedTest(name = "{0} while {1}")
    @MethodSource("operationsAndSituations")
    void operationThatNeedsAvailableVolumeIsRejectedInOtherPhases(Operation operation, Situation situation) {
        if (!operation.needsAvailable()) {
            return;
        }
        VolumeLifecycle engine = situation == Situation.AVAILABLE ? rig.engine() : rig.follower();
        rig.done(engine.volumes()
                .register(
                        VolumeKey.of("default", "other"),
                        VolumeRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext-other"))
                                .build()));
        situation(situation);
        rig.gateway.calls().clear();
        CompletableFuture<?> result = operation.call().apply(engine);
        rig.clock.run();
        if (situation == Situation.AVAILABLE) {
            assertThat(rig.gateway.calls()).isNotEmpty();
        } else {
            RejectedException failure = rig.failed(result, RejectedException.class);
            assertThat(failure.reason()).isInstanceOf(Rejection.WrongPhase.class);
            assertThat(failure).hasMessageContaining("default/vol");
            assertThat(rig.gateway.calls()).isEmpty();
        }
    }

    @Test
    void deletionDuringCreationIgnoresOtherVolumeWhoseExternalIdEqualsVolumeId() {
        situation(Situation.CREATING);
        rig.done(rig.engine()
                .volumes()
                .register(
                        VolumeKey.of("default", "other"),
                        VolumeRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("vol"))
                                .build()));
        rig.done(rig.engine().volumes().delete(VOL));
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
        assertThat(rig.provider.volumes).isEmpty();
    }

    @Test
    void snapshotCallIsNotRetriedAfterDeletionOfVolumeBegan() {
        situation(Situation.AVAILABLE);
        rig.gateway.plan(Rpc.CREATE_SNAPSHOT, call -> {
            rig.ok(new VolumeCommand.SetVolumePhase(VOL, VolumePhase.DELETING, rig.now()));
            return CompletableFuture.failedFuture(HandGateway.failure(Rpc.CREATE_SNAPSHOT, StatusCode.INTERNAL));
        });
        rig.failedLater(rig.engine().snapshots().create(SnapshotRequest.of(VOL, "s")), RejectedException.class);
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT)).hasSize(1);
    }

    @Test
    void groupSnapshotCallIsNotRetriedAfterDeletionOfOneVolumeBegan() {
        situation(Situation.AVAILABLE);
        rig.gateway.plan(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, call -> {
            rig.ok(new VolumeCommand.SetVolumePhase(VOL, VolumePhase.DELETING, rig.now()));
            return CompletableFuture.failedFuture(
                    HandGateway.failure(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, StatusCode.INTERNAL));
        });
        rig.failedLater(
                rig.engine().snapshots().createGroup(new GroupSnapshotRequest("g", List.of(VOL), Map.of())),
                RejectedException.class);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT)).hasSize(1);
    }
}
