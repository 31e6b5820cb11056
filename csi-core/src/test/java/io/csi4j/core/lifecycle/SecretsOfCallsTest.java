package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each call has the secrets that were given for it, and not those for another one. */
class SecretsOfCallsTest {
    private static final Secrets GIVEN = Secrets.of(Map.of("given", "by the creator"));

    private final SecretsProvider each = query -> CompletableFuture.completedFuture(Optional.of(secret(query.rpc())));

    private static Secrets secret(Rpc rpc) {
        return Secrets.of(Map.of("for", rpc.name()));
    }

    /** The secrets of a request, of whatever type it is. */
    private static Secrets sent(Object request) {
        try {
            Method secrets = request.getClass().getMethod("secrets");
            return (Secrets) secrets.invoke(request);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(request + " has no secrets", e);
        }
    }

    @Test
    void grantHasSeparateSecretsForStagingAndPublishing() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", VolumeAccessMode.SINGLE_NODE_WRITER);
        rig.secrets = each;
        CompletableFuture<ClaimGrant> grant =
                rig.claim("a", "n1", ClaimRig.write("v", VolumeAccessMode.SINGLE_NODE_WRITER));
        VolumeGrant volume = rig.done(grant).volumes().get(0);
        assertThat(volume.stageSecrets()).isEqualTo(secret(Rpc.NODE_STAGE_VOLUME));
        assertThat(volume.publishSecrets()).isEqualTo(secret(Rpc.NODE_PUBLISH_VOLUME));
        assertThat(sent(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME).get(0)))
                .isEqualTo(secret(Rpc.CONTROLLER_PUBLISH_VOLUME));
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {
                "CREATE_SNAPSHOT",
                "DELETE_SNAPSHOT",
                "LIST_SNAPSHOTS",
                "GET_SNAPSHOT",
                "CREATE_VOLUME_GROUP_SNAPSHOT",
                "GET_VOLUME_GROUP_SNAPSHOT",
                "DELETE_VOLUME_GROUP_SNAPSHOT",
                "CONTROLLER_GET_VOLUME_HEALTH",
                "CONTROLLER_LIST_VOLUME_HEALTH"
            })
    void requestHasTheSecretsForItsCall(Rpc rpc) {
        VolumeRig rig = VolumeRig.started();
        rig.secrets = each;
        rig.made();
        VolumeLifecycle engine = rig.engine();
        // What is answered is of no account here, only what is sent.
        SnapshotId snapshot = SnapshotId.of("s1");
        GroupSnapshotId group = GroupSnapshotId.of("g1");
        if (rpc == Rpc.DELETE_VOLUME_GROUP_SNAPSHOT) {
            // One that is not there is not deleted.
            group = rig.later(engine.snapshots()
                            .createGroup(new GroupSnapshotRequest("group", List.of(VolumeRig.VOL), Map.of())))
                    .groupSnapshotId();
        }
        CompletableFuture<?> asked = switch (rpc) {
            case CREATE_SNAPSHOT -> engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "nightly"));
            case DELETE_SNAPSHOT -> engine.snapshots().delete(VolumeRig.PLUGIN, snapshot);
            case LIST_SNAPSHOTS -> engine.snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 10, "");
            case GET_SNAPSHOT -> engine.snapshots().get(VolumeRig.PLUGIN, snapshot);
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                engine.snapshots().createGroup(new GroupSnapshotRequest("group", List.of(VolumeRig.VOL), Map.of()));
            case GET_VOLUME_GROUP_SNAPSHOT -> engine.snapshots().getGroup(VolumeRig.PLUGIN, group, List.of(snapshot));
            case DELETE_VOLUME_GROUP_SNAPSHOT ->
                engine.snapshots().deleteGroup(VolumeRig.PLUGIN, group, List.of(snapshot));
            case CONTROLLER_GET_VOLUME_HEALTH -> engine.volumes().health(VolumeRig.VOL);
            case CONTROLLER_LIST_VOLUME_HEALTH -> engine.volumes().listAbnormal(VolumeRig.PLUGIN, 10, "");
            default -> throw new AssertionError("no operation of this test calls " + rpc);
        };
        rig.clock.run();
        assertThat(rig.gateway.requests(rpc)).as("%s", asked).isNotEmpty();
        assertThat(rig.gateway.requests(rpc))
                .allSatisfy(request -> assertThat(sent(request)).isEqualTo(secret(rpc)));
    }

    /** A rig whose secrets provider has nothing, and whose plugin creates volumes that are too small. */
    private static VolumeRig withoutSecretsAndWithSmallVolumes() {
        VolumeRig rig = VolumeRig.started();
        rig.secrets = query -> CompletableFuture.completedFuture(Optional.empty());
        ExternalVolume small = ExternalVolume.builder(ExternalVolumeId.of("small"))
                .capacityBytes(99)
                .build();
        rig.gateway.answer(Rpc.CREATE_VOLUME, request -> new CreateVolumeResponse(small));
        return rig;
    }

    private static VolumeSpec atLeast100() {
        return VolumeRig.spec().capacityRange(CapacityRange.atLeast(100)).build();
    }

    @Test
    void createdVolumeThatDoesNotMatchIsDeletedWithTheSecretsOfItsCreator() {
        VolumeRig rig = withoutSecretsAndWithSmallVolumes();
        var creator = rig.engine().withSecrets(GIVEN).volumes();
        WrongAnswerException failure =
                rig.failed(creator.create(VolumeRig.VOL, atLeast100()), WrongAnswerException.class);
        assertThat(failure).hasMessageContaining("it is being deleted");
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .secrets())
                .isEqualTo(GIVEN);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void laterDeletionDoesNotGetTheSecretsOfTheCreator() {
        VolumeRig rig = VolumeRig.started();
        rig.secrets = query -> CompletableFuture.completedFuture(Optional.empty());
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.withSecrets(GIVEN).volumes().create(VolumeRig.VOL, atLeast100()));
        assertThat(rig.failedLater(engine.volumes().delete(VolumeRig.VOL), CsiException.class))
                .hasMessageContaining("the secrets for DeleteVolume are absent");
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
    }

    @Test
    void laterExpansionDoesNotGetTheSecretsOfOneThatWasRefused() {
        VolumeRig rig = VolumeRig.started();
        rig.secrets = each;
        rig.made();
        rig.claim("a", "n1");
        rig.provider.nodeExpansionRequired = true;
        VolumeLifecycle engine = rig.engine();
        rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE);
        CapacityRange range = CapacityRange.atLeast(200);
        rig.failedLater(engine.withSecrets(GIVEN).volumes().expand(VolumeRig.VOL, range), CsiException.class);
        rig.done(rig.later(engine.volumes().expand(VolumeRig.VOL, range)).nodes());
        assertThat(sent(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME).get(0))).isEqualTo(secret(Rpc.NODE_EXPAND_VOLUME));
    }

    @Test
    void operatorSeesThatTheDeletionOfVolumeThatDoesNotMatchLacksSecrets() {
        VolumeRig rig = withoutSecretsAndWithSmallVolumes();
        VolumeLifecycle engine = rig.engine();
        for (int i = 0; i < 1_000; i++) {
            rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.FAILED_PRECONDITION);
        }
        WrongAnswerException failure = rig.failed(
                engine.withSecrets(GIVEN).volumes().create(VolumeRig.VOL, atLeast100()), WrongAnswerException.class);
        assertThat(failure).hasMessageContaining("delete it too to wait for that, with the secrets that it needs");
        rig.clock.advance(rig.options.operationTimeout());
        int withSecrets = rig.gateway.requests(Rpc.DELETE_VOLUME).size();
        assertThat(withSecrets)
                .as("the secrets of the creator are kept for the operation timeout")
                .isGreaterThan(1);
        rig.clock.advance(rig.options.operationTimeout());
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(withSecrets);
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(rig.volume().retry().lastError().orElseThrow())
                .contains("the secrets for DeleteVolume are absent, so nothing was sent; store them");
        rig.gateway.forgetPlanned(Rpc.DELETE_VOLUME);
        rig.later(engine.withSecrets(GIVEN).volumes().delete(VolumeRig.VOL));
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    private static List<FailedCall> unsent(LifecycleRig rig) {
        return rig.done(rig.host.operator().failedCalls()).stream()
                .filter(call -> !call.failure().sent())
                .toList();
    }

    private static List<HealthProblem> problems(LifecycleRig rig) {
        HealthCheck check = HealthCheck.of(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
        return rig.done(check.run()).problems().stream()
                .filter(problem -> problem.kind() == HealthProblem.Kind.SECRETS_ABSENT)
                .toList();
    }

    /** A rig whose claim is taken and not granted, because the calls on the node have no secrets. */
    private LifecycleRig claimWithoutSecrets() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.secrets = query -> query.rpc() == Rpc.NODE_STAGE_VOLUME
                ? CompletableFuture.completedFuture(Optional.empty())
                : each.secrets(query);
        assertThat(rig.failed(rig.claim("a", "n1", LifecycleRig.SINGLE), CsiException.class))
                .hasMessageContaining("NodeStageVolume are absent");
        return rig;
    }

    @Test
    void grantWithoutSecretsIsFailedCallAndProblemUntilTheyAreStored() {
        LifecycleRig rig = claimWithoutSecrets();
        assertThat(unsent(rig)).singleElement().satisfies(call -> {
            assertThat(call.volume()).isEqualTo(LifecycleRig.VOL);
            assertThat(call.failure().nodeId()).contains(NodeId.of("n1"));
            assertThat(call.failure().text())
                    .contains("the secrets for NodeStageVolume are absent, so nothing was sent");
        });
        assertThat(problems(rig))
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains(LifecycleRig.VOL.toString(), "n1"));
        rig.secrets = each;
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        assertThat(unsent(rig)).isEmpty();
        assertThat(problems(rig)).isEmpty();
    }

    @Test
    void callWhoseSecretsThePluginRefusesIsProblem() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.UNAUTHENTICATED);
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SINGLE);
        HealthCheck check = HealthCheck.of(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
        assertThat(rig.done(check.run()).problems())
                .filteredOn(problem -> problem.kind() == HealthProblem.Kind.SECRETS_REFUSED)
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .contains("ControllerPublishVolume", LifecycleRig.VOL.toString(), "n1"));
        rig.clock.advance(Duration.ofMinutes(10));
        rig.done(grant);
        assertThat(rig.done(check.run()).problems())
                .extracting(HealthProblem::kind)
                .doesNotContain(HealthProblem.Kind.SECRETS_REFUSED);
    }

    @Test
    void grantWithoutSecretsIsNoFailedCallAfterTheEndOfItsAllocation() {
        LifecycleRig rig = claimWithoutSecrets();
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
        assertThat(unsent(rig)).isEmpty();
    }

    @Test
    void detachmentWithoutSecretsIsFailedCallOfItsNodeUntilTheyAreStored() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.secrets = query -> CompletableFuture.completedFuture(Optional.empty());
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(unsent(rig)).singleElement().satisfies(call -> {
            assertThat(call.failure().rpc()).isEqualTo(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
            assertThat(call.failure().nodeId()).contains(NodeId.of("n1"));
            assertThat(call.failure().failures()).isGreaterThan(1);
            assertThat(call.nextAttempt().orElseThrow()).isAfter(rig.now());
        });
        rig.secrets = each;
        rig.done(rig.host.operator().recheck(LifecycleRig.VOL));
        rig.clock.run();
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
        assertThat(unsent(rig)).isEmpty();
        assertThat(problems(rig)).isEmpty();
    }
}
