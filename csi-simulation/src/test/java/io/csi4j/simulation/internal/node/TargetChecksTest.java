package io.csi4j.simulation.internal.node;

import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.MountedVolume;
import io.csi4j.simulation.internal.disk.SimDisk;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.SimNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each check of the targets of one allocation finds the wrong target that is made for it, and no other check reports it. */
class TargetChecksTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final String STAGING = "/staging/v";
    private static final RequestedCapability CAPABILITY =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final MountOptions NOEXEC = MountOptions.of("", "noexec");
    private static final ClaimRequest WRITES = ClaimRequest.writing(key("v"), CAPABILITY);
    private static final ClaimRequest READS = new ClaimRequest(key("v"), ClaimMode.READ, CAPABILITY, NOEXEC);

    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimKernel kernel = new SimKernel(placed.world, placed.node, new SimDisk(new SplittableRandom(1)));
    private ExternalVolumeId volume;

    @BeforeEach
    void volume() {
        volume = placed.volume("v");
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private void stage(MountOptions options) {
        kernel.stage(NodeStageVolumeRequest.builder(volume, STAGING, CAPABILITY.toVolumeCapability(options))
                .build());
    }

    private void publish(String target, boolean readonly, MountOptions options) {
        kernel.publish(NodePublishVolumeRequest.builder(volume, target, CAPABILITY.toVolumeCapability(options))
                .stagingTargetPath(STAGING)
                .readonly(readonly)
                .build());
    }

    private static MountedVolume at(String target) {
        return new MountedVolume(key("v"), A, Path.of(target), AttachmentMode.MOUNT, false);
    }

    /** Checks what an agent reports for both mounts, after it has made the first one as it should. */
    private void report(String second) {
        publish("/publish/a", false, MountOptions.none());
        VolumeGrant grant = new VolumeGrant(
                VolumeView.of(placed.world.store().snapshot(), key("v")).orElseThrow(),
                Claim.builder(A, PlacedWorld.N1, ClaimMode.WRITE, CAPABILITY).build(),
                PublishContext.empty(),
                MountOptions.none(),
                Secrets.empty(),
                Secrets.empty());
        new TargetChecks(placed.world, kernel)
                .reported(new SimNode.Mount(key("v"), A), grant, Map.of(WRITES, at("/publish/a"), READS, at(second)));
    }

    @Test
    void findsNothingInTargetForEachMountAndInTargetThatIsUnmounted() {
        stage(MountOptions.none());
        publish("/publish/a~1", true, NOEXEC);
        report("/publish/a~1");
        report("/publish/a~2");
        placed.found();
    }

    @Test
    void findsOneTargetForDifferentMounts() {
        stage(MountOptions.none());
        report("/publish/a");
        placed.found(
                "S23: different mounts of default/v of a on n1 have the target /publish/a",
                "S23: default/v of a on n1 is published to write, and its mount is to READ",
                "S23: default/v of a on n1 is published with other flags than its mount has");
    }

    @Test
    void findsWritableTargetForMountThatReads() {
        stage(MountOptions.none());
        publish("/publish/a~1", false, NOEXEC);
        report("/publish/a~1");
        placed.found("S23: default/v of a on n1 is published to write, and its mount is to READ");
    }

    @Test
    void findsTargetWithoutFlagsOfItsMount() {
        stage(MountOptions.none());
        publish("/publish/a~1", true, MountOptions.none());
        report("/publish/a~1");
        placed.found("S23: default/v of a on n1 is published with other flags than its mount has");
    }

    @Test
    void findsStagingWithFlagsOfOneMount() {
        stage(NOEXEC);
        publish("/publish/a~1", true, NOEXEC);
        report("/publish/a~1");
        placed.found("S23: default/v of a on n1 is staged with other flags than its claim has");
    }

    @Test
    void findsMountThatItsPluginHasChanged() {
        stage(MountOptions.none());
        publish("/publish/a~1", true, NOEXEC);
        SimProcess agent = new SimProcess(placed.world.scheduler());
        learn(agent);
        kernel.remount("/publish/a~1");
        learn(agent);
        report("/publish/a~1");
        placed.found("I16: a mount that its plugin changed is handed out: default/v of a on n1");
    }

    /** Lets an agent store what the mount table has after a successful call. */
    private void learn(SimProcess agent) {
        RepublishOptions options = new RepublishOptions(
                Duration.ofMinutes(1), List.of(), Optional.empty(), RepublishOptions.Delivery.SECRETS, false);
        placed.world
                .scheduler()
                .after(
                        Duration.ofSeconds(1),
                        () -> kernel.renewals()
                                .published(agent, new SimNode.Mount(key("v"), A), "/publish/a~1", options));
        placed.found();
    }
}
