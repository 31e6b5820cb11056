package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static io.csi4j.core.lifecycle.Rig.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The entries of the list of volumes. */
class VolumeListTest {
    private static final VolumeHealthEntry SLOW =
            new VolumeHealthEntry(VolumeHealthStatus.DEGRADED, 1, "DiskSlow", "the disk is slow");

    static void register(LifecycleRig rig, VolumeKey key, VolumeSpec.Builder spec) {
        rig.ok(new VolumeCommand.RegisterVolume(
                key,
                spec.build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.builder().capacityBytes(10L << 30).build(),
                rig.now()));
    }

    private static LifecycleRig registered(LifecycleRig rig) {
        register(
                rig,
                VOL,
                LifecycleRig.spec()
                        .externalVolumeId(ExternalVolumeId.of("ext-vol"))
                        .mountOptions(MountOptions.of("ext4", "password=secret-flag", "noatime-secret-flag")));
        return rig;
    }

    private static VolumeSummary listed(LifecycleRig rig, CallerOperations caller) {
        return rig.done(caller.volumes().list(VolumeQuery.all())).items().get(0);
    }

    private static VolumeSummary listed(LifecycleRig rig) {
        return listed(rig, rig.host);
    }

    @Test
    void entryShowsPluginCapacityAccessAndMountOptionsWithoutFlags() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.fingerprint(rig.instance("n1").vendorVersion("2.4.1").build());
        VolumeSummary free = listed(registered(rig));
        assertThat(free.key()).isEqualTo(VOL);
        assertThat(free.pluginId()).isEqualTo(PLUGIN);
        assertThat(free.plugin().provider()).contains("csi.example.com");
        assertThat(free.plugin().vendorVersion()).contains("2.4.1");
        assertThat(free.plugin().instances()).as("the plugin is an outline").isEmpty();
        assertThat(free.schedulable()).isTrue();
        assertThat(free.capacityBytes()).isEqualTo(10L << 30);
        assertThat(free.access()).containsExactlyInAnyOrder(SHARED, SINGLE);
        assertThat(free.use()).isEmpty();
        assertThat(free.fsType()).isEqualTo("ext4");
        assertThat(free.mountFlags()).isEqualTo(2);
        assertThat(free.toString()).doesNotContain("secret-flag", "hunter2");
        rig.done(rig.claim("a", "n1", SINGLE));
        assertThat(listed(rig).use()).contains(SINGLE);
    }

    @Test
    void entryCountsClaimsThatAreTakenBeingReleasedAndWaiting() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        assertThat(listed(rig))
                .extracting(VolumeSummary::taken, VolumeSummary::waiting)
                .containsExactly(0, 0);
        rig.done(rig.claim("a", "n1", SHARED));
        rig.done(rig.claim("b", "n2", SHARED));
        var one = rig.claim("c", "n1", SINGLE);
        var two = rig.claim("d", "n2", SINGLE);
        assertThat(listed(rig))
                .extracting(VolumeSummary::taken, VolumeSummary::releasing, VolumeSummary::waiting)
                .containsExactly(2, 0, 2);
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        rig.done(rig.host.claims().release(VOL, AllocationId.of("a")));
        assertThat(two.cancel(true)).isTrue();
        rig.run();
        assertThat(one).isNotDone();
        assertThat(listed(rig))
                .extracting(VolumeSummary::taken, VolumeSummary::releasing, VolumeSummary::waiting)
                .containsExactly(1, 1, 1);
    }

    @Test
    void undeclaredControllerMakesListedVolumeNotSchedulable() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        assertThat(listed(rig).schedulable()).isTrue();
        assertThat(listed(
                                rig,
                                otherServer(rig)
                                        .controllers((state, controller) -> false)
                                        .build())
                        .schedulable())
                .isFalse();
    }

    private static void plan(LifecycleRig rig, VolumeHealthEntry... entries) {
        rig.gateway.answer(
                Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                request -> new ControllerGetVolumeHealthResponse(
                        Optional.of(new VolumeHealth(ExternalVolumeId.of("ext-vol"), List.of(entries)))));
    }

    @Test
    void entryShowsHealthThatPluginReportedLast() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        assertThat(listed(rig).health()).isEqualTo(HealthVerdict.NOT_REPORTED);
        plan(rig, SLOW);
        plan(rig);
        rig.done(rig.host.volumes().health(VOL));
        VolumeSummary slow = listed(rig);
        assertThat(slow.health()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(slow.problems()).singleElement().asString().contains("DiskSlow: the disk is slow", "" + rig.now());
        rig.done(rig.host.volumes().health(VOL));
        assertThat(listed(rig)).extracting(VolumeSummary::health).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(listed(rig).problems()).isEmpty();
    }

    @Test
    void entryShowsConditionFromListOfProviderButNotOfFormerVolumeWithSameKey() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(
                        List.of(new ListVolumesResponse.Entry(
                                ExternalVolume.builder(ExternalVolumeId.of("ext-vol"))
                                        .build(),
                                Optional.of(new ExternalVolumeStatus(
                                        List.of(), Optional.of(new VolumeCondition(true, "array lost")))))),
                        ""));
        rig.done(rig.host.volumes().listExternal(PLUGIN, 0, ""));
        assertThat(listed(rig).problems()).singleElement().asString().contains("array lost");
        rig.ok(new VolumeCommand.DeregisterVolume(VOL, false, rig.now()));
        assertThat(listed(registered(rig)).health()).isEqualTo(HealthVerdict.NOT_REPORTED);
    }

    @Test
    void entryShowsCallsThatFailUntilTheySucceed() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        rig.done(rig.host.claims().release(VOL, AllocationId.of("a")));
        rig.run();
        assertThat(listed(rig).health()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(listed(rig).problems())
                .singleElement()
                .asString()
                .contains("NodeUnpublishVolume for node n1 fails since");
        assertThat(listed(rig, otherServer(rig).build()).problems())
                .as("another server knows the failure from the state")
                .singleElement()
                .asString()
                .contains("a call has failed 1 times");
        rig.gateway.answer();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(listed(rig).health()).isEqualTo(HealthVerdict.NOT_REPORTED);
        assertThat(listed(rig).problems()).isEmpty();
    }

    private static VolumeLifecycleBuilder otherServer(LifecycleRig rig) {
        return VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(rig.gateway)
                .environment(Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)))
                .callbackExecutor(rig.clock);
    }

    @Test
    void otherServerShowsFailedChangesFromTheState() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        var expansion = rig.host.volumes().expand(VOL, CapacityRange.atLeast(20L << 30));
        rig.run();
        assertThat(expansion).isNotDone();
        assertThat(listed(rig, otherServer(rig).build()).problems())
                .singleElement()
                .asString()
                .contains("a call has failed 1 times", "ControllerExpandVolume");
        var modification = rig.host.volumes().modify(VOL, Map.of("iops", "9"));
        rig.run();
        assertThat(modification).isNotDone();
        assertThat(String.join(" ", listed(rig, otherServer(rig).build()).problems()))
                .contains("ControllerExpandVolume", "ControllerModifyVolume");
    }

    @Test
    void refusedChangeIsNoProblem() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        rig.gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        var refused = rig.host.volumes().modify(VOL, Map.of("iops", "9"));
        rig.run();
        assertThat(refused).isCompletedExceptionally();
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        var expansion = rig.host.volumes().expand(VOL, CapacityRange.atLeast(20L << 30));
        rig.run();
        assertThat(expansion).isNotDone();
        assertThat(listed(rig, otherServer(rig).build()).problems())
                .singleElement()
                .asString()
                .contains("ControllerExpandVolume");
    }

    @Test
    void healthThatANodeReportedNamesTheNode() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.fingerprint(rig.instance("n1")
                .capabilities(known -> known.withNode(NodeCapability.GET_VOLUME_HEALTH))
                .build());
        registered(rig);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.answer(
                Rpc.NODE_GET_VOLUME_HEALTH,
                request -> new NodeGetVolumeHealthResponse(
                        Optional.of(new VolumeHealth(ExternalVolumeId.of("ext-vol"), List.of(SLOW)))));
        rig.done(rig.host.volumes().health(VOL, AllocationId.of("a")));
        assertThat(listed(rig).problems())
                .singleElement()
                .asString()
                .startsWith("the plugin reported on node n1 at " + rig.now() + ": DiskSlow");
    }

    @Test
    void entryShowsProblemsThatNodesReported() {
        LifecycleRig rig = registered(LifecycleRig.leading());
        rig.gateway.reports = node -> CompletableFuture.completedFuture(new NodeReport(
                node.equals(NodeId.of("n2"))
                        ? List.of(new NodeVolume(
                                VOL,
                                Optional.of(PLUGIN),
                                Optional.empty(),
                                false,
                                true,
                                "the staging mount is gone",
                                List.of(),
                                Optional.empty(),
                                "",
                                "",
                                Duration.ZERO))
                        : List.of()));
        rig.clock.advance(Duration.ofSeconds(40));
        assertThat(listed(rig).health()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(listed(rig).problems()).containsExactly("node n2 reported: the staging mount is gone");
    }

    @Test
    void callerWhoMayOnlyListSeesThatVolumeIsAbnormalButNotWhy() {
        LifecycleRig rig = registered(LifecycleRig.guarded()).grant("default", Permission.VOLUME_LIST);
        plan(rig, SLOW);
        rig.done(rig.host.volumes().health(VOL));
        CallerOperations eve = rig.as("eve");
        assertThat(listed(rig, eve).health()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(listed(rig, eve).problems()).isEmpty();
        rig.grant("default", Permission.VOLUME_READ);
        assertThat(listed(rig, eve).problems()).hasSize(1);
    }
}
