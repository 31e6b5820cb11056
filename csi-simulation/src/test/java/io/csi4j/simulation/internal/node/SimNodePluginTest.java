package io.csi4j.simulation.internal.node;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.simulation.internal.disk.SimDisk;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check of the simulated node plugin finds the wrong call that is made for it, and no other check reports it. */
class SimNodePluginTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final SimNode.Mount MOUNTED = new SimNode.Mount(key("v"), A);
    private static final VolumeCapability CAPABILITY = MOUNT.toVolumeCapability(MountOptions.none());
    private static final PublishContext CONTEXT = PublishContext.of(Map.of("device", "vol-v@ext-n1"));
    private static final String STAGING = "/staging/one";
    private static final String OTHER_STAGING = "/staging/two";
    private static final ExternalVolumeId INLINE = ExternalVolumeId.of("csi-1");
    private static final String TARGET = "/publish/a";

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimDisk disk = new SimDisk(new SplittableRandom(1));
    private final SimKernel kernel = new SimKernel(placed.world, placed.node, disk);
    private final SimNodePlugin plugin = new SimNodePlugin(
            placed.world,
            kernel,
            new SimProcess(placed.world.scheduler()),
            new CallsInFlight(placed.world),
            SimVolumes.ATTACHING);
    private ExternalVolumeId volume;

    @BeforeEach
    void attachedVolume() {
        for (String path : List.of("/staging", STAGING, OTHER_STAGING, "/publish")) {
            disk.plugIn(path, true);
        }
        volume = placed.volume("v");
        placed.allocation("a");
        placed.ok(new ClaimCommand.TakeClaims(A, List.of(ClaimRequest.of(key("v"), ClaimMode.READ, MOUNT)), AT));
        placed.attach("v");
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private static void start(CompletableFuture<?> call) {
        var unused = call.exceptionally(failure -> null);
    }

    private void stage(String path, PublishContext context) {
        start(plugin.nodeStageVolume(NodeStageVolumeRequest.builder(volume, path, CAPABILITY)
                .publishContext(context)
                .build()));
    }

    private void publish(String path, boolean readonly) {
        start(plugin.nodePublishVolume(NodePublishVolumeRequest.builder(volume, path, CAPABILITY)
                .stagingTargetPath(STAGING)
                .publishContext(CONTEXT)
                .readonly(readonly)
                .build()));
    }

    private void staged() {
        stage(STAGING, CONTEXT);
        placed.found();
    }

    @Test
    void findsNothingInRightCalls() {
        staged();
        publish(TARGET, true);
        placed.found();
        start(plugin.nodeUnpublishVolume(
                NodeUnpublishVolumeRequest.builder(volume, TARGET).build()));
        placed.found();
    }

    @Test
    void findsStagingWithoutDirectory() {
        stage("/staging/missing", CONTEXT);
        placed.found("R85: /staging/missing on n1 is no directory, and is staged to");
    }

    @Test
    void findsSecondStagingPath() {
        staged();
        stage(OTHER_STAGING, CONTEXT);
        placed.found("R85: vol-v is staged at two paths on n1");
    }

    @Test
    void findsMountWithoutPublishContext() {
        stage(STAGING, PublishContext.empty());
        placed.found("R61: vol-v is mounted on n1 without the context of its publication");
    }

    @Test
    void findsPublishOfUnstagedVolume() {
        publish(TARGET, true);
        placed.found("R47: vol-v is published on n1 and not staged at its staging path");
    }

    @Test
    void findsPublishWithoutParentDirectory() {
        staged();
        publish("/missing/a", true);
        placed.found("R88: the parent of /missing/a on n1 does not exist");
    }

    @Test
    void findsUnpublishDuringChangeOfOwnership() {
        staged();
        publish(TARGET, true);
        placed.found();
        kernel.beginChange(TARGET, new SimProcess(placed.world.scheduler()));
        start(plugin.nodeUnpublishVolume(
                NodeUnpublishVolumeRequest.builder(volume, TARGET).build()));
        placed.found("I16: a target is unpublished while its files are changed: /publish/a");
    }

    @Test
    void findsPublishForAnotherWorkload() {
        staged();
        NodePublishVolumeRequest.Builder request = NodePublishVolumeRequest.builder(volume, TARGET, CAPABILITY)
                .stagingTargetPath(STAGING)
                .publishContext(CONTEXT)
                .readonly(true);
        VolumeContext forB = VolumeContext.of(Map.of("csi.storage.k8s.io/pod.name", "b"));
        start(plugin.nodePublishVolume(request.volumeContext(forB).build()));
        placed.found("R57: vol-v on n1 is published for the workload b instead of null");
    }

    @Test
    void findsWritableMountForReader() {
        staged();
        publish(TARGET, false);
        placed.found("R89: default/v is writable on n1 for a, which claims to read");
    }

    @Test
    void findsUnmountWhileWorkloadRuns() {
        staged();
        publish(TARGET, true);
        placed.found();
        placed.node.start(A);
        kernel.use(MOUNTED, List.of(TARGET));
        start(plugin.nodeUnpublishVolume(
                NodeUnpublishVolumeRequest.builder(volume, TARGET).build()));
        placed.found("N1: default/v is unmounted on n1 while a runs and holds its claim");
    }

    @Test
    void targetThatWasNeverReportedMayBeUnmountedWhileWorkloadRuns() {
        staged();
        publish(TARGET, true);
        placed.found();
        publish(TARGET + "-1", true);
        placed.found();
        placed.node.start(A);
        kernel.use(MOUNTED, List.of(TARGET));
        start(plugin.nodeUnpublishVolume(
                NodeUnpublishVolumeRequest.builder(volume, TARGET + "-1").build()));
        placed.found();
    }

    private void publishInline(String staging, String role) {
        NodePublishVolumeRequest.Builder request = NodePublishVolumeRequest.builder(INLINE, TARGET, CAPABILITY)
                .volumeContext(VolumeContext.of(
                        role.isEmpty()
                                ? Map.of()
                                : Map.of(SimMadeVolumes.ATTRIBUTE, role, "csi.storage.k8s.io/ephemeral", "true")));
        if (!staging.isEmpty()) {
            request.stagingTargetPath(staging);
        }
        start(plugin.nodePublishVolume(request.build()));
    }

    @Test
    void findsWrongCallsForInlineVolume() {
        publishInline("", "reader");
        placed.found();
        publishInline("", "reader");
        placed.found();
        start(plugin.nodeUnpublishVolume(
                NodeUnpublishVolumeRequest.builder(INLINE, TARGET).build()));
        placed.found();
        start(plugin.nodeStageVolume(
                NodeStageVolumeRequest.builder(INLINE, STAGING, CAPABILITY).build()));
        placed.found("R47: the inline volume csi-1 is staged on n1");
    }

    @Test
    void findsInlineVolumeWithStaging() {
        publishInline(STAGING, "reader");
        placed.found("R47: the inline volume csi-1 on n1 is published from a staging path");
    }

    @Test
    void findsInlineVolumeWithoutItsAttributes() {
        publishInline("", "");
        placed.found("R57: the inline volume csi-1 on n1 is published with {}");
    }

    @Test
    void findsOtherRequestForInlineVolume() {
        publishInline("", "reader");
        placed.found();
        publishInline("", "writer");
        placed.found("R29: the inline volume csi-1 on n1 is published again with other fields");
    }

    @Test
    void findsSecondCallInFlight() {
        stage(STAGING, CONTEXT);
        stage(STAGING, CONTEXT);
        placed.found("I4: a second call in flight to the node plugin attaching on n1 for vol-v");
    }
}
