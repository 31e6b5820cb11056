package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Claims with mount options that the staging on their node does not have. */
class MountOptionsQueueTest {
    private static final VolumeAccessMode MODE = VolumeAccessMode.MULTI_NODE_READER_ONLY;

    private final ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MODE);

    private static ClaimRequest read(String fsType) {
        return with(ClaimRig.read("v", MODE), fsType);
    }

    @Test
    void waitingClaimWithOtherMountOptionsIsGrantedBeforeLaterReaders() {
        rig.stages("n1");
        rig.stages("n2");
        rig.use("a", "n1", read("ext4"));
        CompletableFuture<ClaimGrant> other = rig.claim("b", "n1", read("xfs"));
        CompletableFuture<ClaimGrant> later = rig.claim("c", "n1", read("ext4"));
        CompletableFuture<ClaimGrant> elsewhere = rig.claim("d", "n2", read("ext4"));

        assertThat(other).isNotDone();
        assertThat(rig.engine
                        .status(Caller.ENGINE, ClaimRig.key("v"))
                        .orElseThrow()
                        .waiting()
                        .get(0)
                        .reason()
                        .orElseThrow()
                        .reason())
                .isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        assertThat(later).as("a later reader waits behind the waiting claim b").isNotDone();
        assertThat(elsewhere).as("a reader on another node does not wait").isCompleted();

        rig.ended("a", "n1");
        assertThat(other).isCompleted();
        assertThat(later).isNotDone();
        rig.ended("b", "n1");
        assertThat(later).isCompleted();
    }

    @Test
    void allReadersBehindWriterAreDecidedWhenItLeaves() {
        VolumeAccessMode single = VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
        ClaimRig two = ClaimRig.with("n1", "n2").volume("v", MODE, single);
        two.stages("n1");
        two.stages("n2");
        two.use("a", "n1", read("ext4"));
        CompletableFuture<ClaimGrant> writer = two.claim("w", "n2", ClaimRig.write("v", single));
        CompletableFuture<ClaimGrant> other = two.claim("b", "n1", read("xfs"));
        CompletableFuture<ClaimGrant> elsewhere = two.claim("d", "n2", read("ext4"));
        assertThat(elsewhere).as("waits behind the writer").isNotDone();

        assertThat(writer.cancel(false)).isTrue();
        two.run();
        assertThat(other).as("waits for other mount options").isNotDone();
        assertThat(two.engine
                        .status(Caller.ENGINE, ClaimRig.key("v"))
                        .orElseThrow()
                        .waiting())
                .as("the reader on the other node has taken its claim")
                .extracting(WaitingClaim::allocationId)
                .containsExactly(AllocationId.of("b"));
    }

    @Test
    void readerBehindWriterIsDecidedWhenWriterWaitsForMountOptionsNoMore() {
        VolumeAccessMode single = VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
        ClaimRig two = ClaimRig.with("n1", "n2").volume("v", single);
        two.stages("n1");
        two.stages("n2");
        two.use("a", "n1", with(ClaimRig.read("v", single), "ext4"));
        two.status("n2", NodeStatus.DOWN);
        CompletableFuture<ClaimGrant> first = two.claim("w1", "n2", with(ClaimRig.write("v", single), "ext4"));
        CompletableFuture<ClaimGrant> writer = two.claim("w2", "n1", with(ClaimRig.write("v", single), "xfs"));
        CompletableFuture<ClaimGrant> reader = two.claim("r", "n1", with(ClaimRig.read("v", single), "ext4"));
        assertThat(first).as("waits for its node").isNotDone();
        assertThat(reader).as("would keep the mount options in use").isNotDone();

        two.status("n2", NodeStatus.READY);
        two.run();
        assertThat(first).isCompleted();
        assertThat(writer).as("waits for the other writer").isNotDone();
        assertThat(reader).as("is not in the way of the writer now").isCompleted();
    }

    /** The plugin cannot set a group, so the node gives the files to it: nobody else may use the volume, on any node. */
    @Test
    void claimWithAGroupIsGrantedBeforeLaterReadersOnAllNodes() {
        VolumeAccessMode single = VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
        ClaimRig two = ClaimRig.with("n1", "n2").volume("v", single);
        two.stages("n1");
        two.stages("n2");
        two.use("a", "n1", ClaimRig.read("v", single));
        ClaimRequest write = ClaimRig.write("v", single);
        CompletableFuture<ClaimGrant> grouped = two.claim(
                "w",
                "n2",
                new ClaimRequest(
                        write.volume(),
                        write.mode(),
                        write.capability(),
                        new MountOptions("", MountFlags.empty(), "3000")));
        CompletableFuture<ClaimGrant> later = two.claim("r", "n1", ClaimRig.read("v", single));
        assertThat(grouped).isNotDone();
        assertThat(later).as("waits behind the claim with a group").isNotDone();
        two.ended("a", "n1");
        assertThat(grouped).isCompleted();
        two.ended("w", "n2");
        assertThat(later).isCompleted();
    }

    private static ClaimRequest with(ClaimRequest plain, String fsType) {
        return new ClaimRequest(plain.volume(), plain.mode(), plain.capability(), MountOptions.of(fsType));
    }

    @Test
    void grantHasOptionsOfRequestAndOfVolumeWhereRequestHasNone() {
        VolumeSpec spec = VolumeSpec.builder(ClaimRig.PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(MODE)))
                .mountOptions(MountOptions.of("xfs", "noatime"))
                .build();
        rig.ok(new VolumeCommand.RegisterVolume(
                ClaimRig.key("w"), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), rig.clock.instant()));
        ClaimRequest request = new ClaimRequest(
                ClaimRig.key("w"), ClaimMode.READ, RequestedCapability.mount(MODE), MountOptions.of("ext4"));
        VolumeGrant granted = rig.claim("a", "n1", request).join().volumes().get(0);
        assertThat(granted.mountOptions()).isEqualTo(MountOptions.of("ext4", "noatime"));
        assertThat(granted.view().plugin().instances())
                .as("a grant has the outline of the plugin")
                .isEmpty();
    }

    @Test
    void readAndWriteRequestsOfOneAllocationBecomeOneClaim() {
        VolumeAccessMode mode = VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
        rig.volume("w", mode);
        CompletableFuture<ClaimGrant> both = rig.claim("a", "n1", ClaimRig.read("w", mode), ClaimRig.write("w", mode));
        assertThat(both).isCompleted();
        assertThat(both.join().volumes())
                .singleElement()
                .satisfies(grant -> assertThat(grant.claim().mode()).isEqualTo(ClaimMode.WRITE));
    }

    @Test
    void secondMountOfAccessModeWithOnePathIsRefusedAtOnce() {
        VolumeAccessMode mode = VolumeAccessMode.SINGLE_NODE_WRITER;
        rig.volume("w", mode);
        rig.use("holder", "n2", ClaimRig.write("w", mode));
        assertThat(rig.claim("a", "n1", ClaimRig.read("w", mode), ClaimRig.write("w", mode)))
                .as("a wait for the holder would not help")
                .isCompletedExceptionally();
    }
}
