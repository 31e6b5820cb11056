package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.ScriptedNode.Fate;
import io.csi4j.node.WorkloadStatus.Phase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadVolumesTest {
    private static final AllocationId WEB = AllocationId.of("web");

    @TempDir
    Path base;

    private final CompletableFuture<ClaimGrant> granted = new CompletableFuture<>();
    private Bench bench;
    private WorkloadVolumes workloads;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        workloads =
                new WorkloadVolumes(bench.volumes, (allocation, requests) -> NodeMount.granted(granted), bench.time);
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private static ClaimRequest request(String volume) {
        return ClaimRequest.of(VolumeKey.of("ns", volume), ClaimMode.WRITE, Bench.MANY);
    }

    private CompletableFuture<List<MountedVolume>> prepare() {
        return workloads.prepare(WEB, List.of(request("v"), request("w")));
    }

    private void grant() {
        granted.complete(new ClaimGrant(WEB, List.of(grant("v"), grant("w"))));
    }

    private static VolumeGrant grant(String name) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .externalVolumeId(ExternalVolumeId.of("ext-" + name))
                .requestedCapabilities(List.of(Bench.MANY))
                .build();
        Volume volume = Volume.builder(VolumeKey.of("ns", name), spec, 1, java.time.Instant.EPOCH)
                .build();
        Claim claim =
                Claim.builder(WEB, NodeId.of("n"), ClaimMode.WRITE, Bench.MANY).build();
        return new VolumeGrant(
                new VolumeView(
                        volume, PluginView.of(volume.pluginId(), List.of(), List.of(), Optional.empty()), List.of()),
                claim,
                PublishContext.empty(),
                MountOptions.none(),
                Secrets.empty(),
                Secrets.empty());
    }

    @Test
    void grantedVolumesAreMountedAndUnmounted() {
        CompletableFuture<List<MountedVolume>> prepared = prepare();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(workloads.status(WEB))
                .contains(new WorkloadStatus(
                        WEB,
                        Phase.CLAIMING,
                        List.of(VolumeKey.of("ns", "v"), VolumeKey.of("ns", "w")),
                        "its claims are not granted yet; the engine's status of each volume shows who has it and who"
                                + " waits"));
        assertThat(prepare()).isSameAs(prepared);
        grant();
        bench.time.advance(Duration.ofMillis(1));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1).containsEntry("ext-w", 1);
        assertThat(workloads.status(WEB).orElseThrow().missing()).hasSize(2);
        assertThat(bench.done(prepared))
                .extracting(mounted -> mounted.targetPath().toString())
                .containsExactly(bench.target("v", "web"), bench.target("w", "web"));
        assertThat(workloads.status(WEB).orElseThrow().phase()).isEqualTo(Phase.READY);
        assertThat(bench.done(workloads.teardown(WEB, Duration.ofSeconds(30))).left())
                .isEmpty();
        assertThat(bench.node.mounts).isEmpty();
        assertThat(workloads.status(WEB)).isEmpty();
    }

    /** The callback of the failure requests the workload again before the undo of the failed preparation has ended. */
    @Test
    void preparationStartedInCallbackOfFailedPreparationIsNotUndone() {
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && ++publications[0] == 2 ? Fate.REFUSED : Fate.OK;
        grant();
        CompletableFuture<List<MountedVolume>> again = prepare().exceptionallyCompose(failure -> prepare());
        assertThat(bench.done(again)).hasSize(2);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "web")), Path.of(bench.target("w", "web")));
    }

    /** The use has ended, but the volume is still staged. */
    @Test
    void repeatedTeardownReportsVolumesWhoseUnstageStillFails() {
        grant();
        bench.done(prepare());
        bench.node.fates = rpc -> rpc == Rpc.NODE_UNSTAGE_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        List<VolumeKey> left =
                bench.done(workloads.teardown(WEB, Duration.ofSeconds(30))).left();
        assertThat(left).hasSize(2);
        assertThat(bench.done(workloads.teardown(WEB, Duration.ofSeconds(30))).left())
                .isEqualTo(left);
    }

    @Test
    void failedMountUndoesOtherMountsOfWorkload() {
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && ++publications[0] == 2 ? Fate.REFUSED : Fate.OK;
        grant();
        CompletableFuture<List<MountedVolume>> prepared = prepare();
        bench.time.advance(Duration.ofMinutes(1));
        assertThatThrownBy(prepared::join).hasMessageContaining("INVALID_ARGUMENT");
        assertThat(bench.node.mounts).isEmpty();
        assertThat(workloads.status(WEB).orElseThrow().phase()).isEqualTo(Phase.UNDOING);
        assertThat(workloads.status(WEB).orElseThrow().reason()).contains("INVALID_ARGUMENT");
    }

    @Test
    void preparationCancelledAtAnyStepIsUndone() {
        CompletableFuture<List<MountedVolume>> waiting = prepare();
        waiting.cancel(false);
        assertThat(granted).isCancelled();
        for (int millis = 0; millis < 12; millis++) {
            CompletableFuture<ClaimGrant> now = new CompletableFuture<>();
            workloads =
                    new WorkloadVolumes(bench.volumes, (allocation, requests) -> NodeMount.granted(now), bench.time);
            CompletableFuture<List<MountedVolume>> prepared = prepare();
            now.complete(new ClaimGrant(WEB, List.of(grant("v"), grant("w"))));
            bench.time.advance(Duration.ofMillis(millis));
            if (prepared.cancel(false)) {
                assertThatThrownBy(prepared::join).isInstanceOf(CancellationException.class);
            } else {
                assertThat(millis).isGreaterThan(8);
                bench.done(workloads.teardown(WEB, Duration.ofSeconds(1)));
            }
            bench.time.advance(Duration.ofMinutes(1));
            assertThat(bench.node.mounts).as("cancelled after %s ms", millis).isEmpty();
        }
    }

    @Test
    void nextProcessFinishesInterruptedTeardown() {
        grant();
        bench.done(prepare());
        bench.node.fates = rpc -> rpc == Rpc.NODE_UNPUBLISH_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        CompletableFuture<Teardown> torn = workloads.teardown(WEB, Duration.ofSeconds(3));
        bench.time.advance(Duration.ofSeconds(3));
        assertThat(torn.join().left()).containsExactly(VolumeKey.of("ns", "v"), VolumeKey.of("ns", "w"));
        assertThat(bench.node.published).hasSize(2);
        bench.node.fates = rpc -> Fate.OK;
        bench.restart();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.mounts).isEmpty();
        workloads =
                new WorkloadVolumes(bench.volumes, (allocation, requests) -> NodeMount.granted(granted), bench.time);
        assertThat(bench.done(workloads.teardown(WEB, Duration.ofSeconds(3))).left())
                .isEmpty();
    }

    @Test
    void teardownUnmountsVolumesMountedByEarlierProcess() {
        grant();
        bench.done(prepare());
        bench.restart();
        workloads =
                new WorkloadVolumes(bench.volumes, (allocation, requests) -> NodeMount.granted(granted), bench.time);
        assertThat(bench.done(workloads.teardown(WEB, Duration.ofSeconds(3))).left())
                .isEmpty();
        assertThat(bench.node.mounts).isEmpty();
    }
}
