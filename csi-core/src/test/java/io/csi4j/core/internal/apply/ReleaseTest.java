package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.free;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.request;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.READ;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the release of claims. */
class ReleaseTest {
    private static Command failed(String error) {
        return new CallCommand.RecordCallError(
                vol("v"), new CallTarget.OfClaim(alloc("a"), 0), Attempt.failed(error, AT.plusSeconds(9)), AT);
    }

    /** The claim must keep its capability and mount options, because the node needs them to unmount the volume. */
    @Test
    void failedNodeCallChangesOnlyRetryFieldOfClaim() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.allocation("a", "n1");
        cluster.ok(take(
                "a",
                new ClaimRequest(
                        vol("v"), WRITE, RequestedCapability.mount(SINGLE_NODE_WRITER), MountOptions.of("xfs", "ro"))));
        Claim taken = cluster.claimOf("v", "a").orElseThrow();
        cluster.ended("a", "n1");
        for (String error : List.of("busy", "still busy")) {
            cluster.ok(failed(error));
        }
        Claim retried = cluster.claimOf("v", "a").orElseThrow();
        assertThat(retried.retry().attempts()).isEqualTo(2);
        assertThat(retried.retry().lastError()).contains("still busy");
        assertThat(retried.toBuilder()
                        .state(ClaimState.TAKEN)
                        .retry(taken.retry())
                        .build())
                .isEqualTo(taken);
        cluster.refused(Rejection.ClaimStateSkipped.class, checkpoint("v", "a", ClaimState.READY_TO_FREE));
    }

    /** A missing or unhealthy controller instance does not prove that the plugin needs no detach. */
    @Test
    void claimIsNotFreedBeforeDetachIfControllerIsUnavailable() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ended("a", "n1");
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        List<Runnable> away = List.of(
                () -> cluster.fingerprint(
                        "n1", cluster.instance("n1").health(false, "restarting").build()),
                () -> cluster.fingerprint("n1"),
                () -> cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "", AT)));
        for (Runnable step : away) {
            step.run();
            assertThat(cluster.state.plugin(Cluster.PLUGIN).controllerNeed()).isEqualTo(ControllerNeed.REQUIRED);
            cluster.refused(Rejection.ClaimStillAttached.class, checkpoint("v", "a", ClaimState.READY_TO_FREE));
            cluster.refused(Rejection.ClaimStateSkipped.class, free("v", "a"));
        }
        assertThat(cluster.attachment("v", "n1")).isPresent();
    }

    @Test
    void freeingClaimOfWriterKeepsReaderAndAccessMode() {
        Cluster cluster = Cluster.withoutController().nodes("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        cluster.claim("w", "n1", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
        Claim reader = cluster.claim("r", "n2", "v", READ, MULTI_NODE_SINGLE_WRITER);
        cluster.release("v", "w");
        assertThat(cluster.get("v").claims()).containsExactly(reader);
        assertThat(cluster.get("v").currentCapability()).contains(RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER));
    }

    @Test
    void volumeStaysInUseWhileClaimOfEndedReaderIsNotReleased() {
        Cluster cluster = Cluster.withoutController().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("r", "n1", "v", READ, SINGLE_NODE_WRITER);
        cluster.ok(Cluster.status("r", "n1", AllocationStatus.ENDED));
        assertThat(cluster.get("v").claims().readers()).isOne();
        assertThat(cluster.get("v").claims().count(ClaimState.UNPUBLISHING)).isOne();
        assertThat(cluster.get("v").inUse()).isTrue();
    }

    @Test
    void volumeCanBeDeregisteredAfterLastClaimIsReleased() {
        Cluster cluster = Cluster.withoutController().nodes("n1").volume("v", MULTI_NODE_SINGLE_WRITER);
        cluster.volume("w", SINGLE_NODE_WRITER);
        cluster.claim("writer", "n1", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
        cluster.claim("reader", "n1", "v", READ, MULTI_NODE_SINGLE_WRITER);
        Command deregister = new VolumeCommand.DeregisterVolume(vol("v"), false, AT);
        assertThat(cluster.refused(Rejection.VolumeInUse.class, deregister).holders())
                .hasSize(2);
        cluster.release("v", "writer");
        assertThat(cluster.refused(Rejection.VolumeInUse.class, deregister).holders())
                .hasSize(1);
        cluster.release("v", "reader");
        cluster.ok(deregister);
        assertThat(cluster.state.volumes(VolumeQuery.all()).items().stream().map(volume -> volume.key()))
                .containsExactly(vol("w"));
    }

    /** Two servers submit the same commands for one claim, one command after the other. */
    @Test
    void claimReleasedByTwoServersIsFreedOnce() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        List<Command> steps = List.of(
                checkpoint("v", "a", ClaimState.UNPUBLISHING),
                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                Cluster.unpublishing("v", "n1"),
                Cluster.detached("v", "n1"),
                checkpoint("v", "a", ClaimState.READY_TO_FREE),
                free("v", "a"));
        int freed = 0;
        for (Command step : steps) {
            freed += effects(cluster.ok(step), Effect.ClaimFreed.class).size();
            cluster.unchanged(step);
        }
        assertThat(freed).isOne();
        // A server that submits all commands later changes nothing.
        steps.forEach(cluster::unchanged);
        assertThat(cluster.get("v").inUse()).isFalse();
    }

    @Test
    void stateEffectsFromRegistrationToRemovalOfVolumeAreReportedInOrder() {
        Cluster cluster = Cluster.withoutController().nodes("n1");
        VolumeKey key = vol("v");
        List<Effect> effects = new ArrayList<>();
        cluster.allocation("a", "n1");
        List<Command> life = List.of(
                Cluster.register("v", Cluster.spec(SINGLE_NODE_WRITER).build()),
                take("a", request("v", WRITE, SINGLE_NODE_WRITER)),
                new AllocationCommand.RemoveAllocation(alloc("a"), AT),
                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                checkpoint("v", "a", ClaimState.READY_TO_FREE),
                free("v", "a"),
                new VolumeCommand.DeregisterVolume(key, false, AT));
        for (Command command : life) {
            Outcome.Accepted outcome = cluster.ok(command);
            effects.addAll(outcome.effects());
        }
        assertThat(effects.stream().map(effect -> effect.getClass().getSimpleName()))
                .containsExactly("VolumeStored", "ClaimTaken", "ClaimReleasable", "ClaimFreed", "VolumeRemoved");
        assertThat(effects).contains(new Effect.ClaimReleasable(key, alloc("a")));
        assertThat(effects).contains(new Effect.ClaimFreed(key, alloc("a"), NodeId.of("n1")));
    }
}
