package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An allocation that mounts one volume several times: one claim, one staging, and a target for each mount. */
class SeveralMountsTest {
    private static final AllocationId WEB = AllocationId.of("web");
    private static final VolumeKey VOLUME = VolumeKey.of("ns", "v");
    private static final ClaimRequest READER = request(ClaimMode.READ, "nosuid");
    private static final ClaimRequest WRITER = request(ClaimMode.WRITE, "noexec");
    private static final ClaimRequest PLAIN = request(ClaimMode.WRITE);

    @TempDir
    Path base;

    private final List<List<ClaimRequest>> claimed = new ArrayList<>();
    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    private static ClaimRequest request(ClaimMode mode, String... flags) {
        return new ClaimRequest(VOLUME, mode, Bench.MANY, MountOptions.of("", flags));
    }

    /** Returns the volumes of workloads, whose claims are granted at once. The volume itself has the flag noatime. */
    private WorkloadVolumes workloads() {
        return new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> {
                    claimed.add(requests);
                    return CompletableFuture.completedFuture(
                            requests.stream().map(SeveralMountsTest::granted).toList());
                },
                bench.time);
    }

    private static NodeMount granted(ClaimRequest claim) {
        return NodeMount.builder(Bench.id("v"), WEB, claim.capability())
                .mountOptions(MountOptions.of("ext4", "noatime").overriddenBy(claim.mountOptions()))
                .readonly(claim.mode() == ClaimMode.READ)
                .build();
    }

    private List<String> targets(ClaimRequest... requests) {
        return bench.done(workloads().prepare(WEB, List.of(requests))).stream()
                .map(mounted -> mounted.targetPath().getFileName() + (mounted.readonly() ? " ro" : " rw"))
                .toList();
    }

    private void teardown() {
        assertThat(bench.done(workloads().teardown(WEB, Duration.ofSeconds(30))).left())
                .isEmpty();
    }

    private void assertThatNothingIsLeft() throws IOException {
        // The record is kept until no call with a lost answer can take effect any more.
        bench.time.advance(bench.options.lateWork().plusMinutes(1));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.node.staged).isEmpty();
        assertThat(bench.node.violations).isEmpty();
        for (String directory : List.of("staging", "publish", "ledger/ns")) {
            Path path = base.resolve(directory);
            if (Files.exists(path)) {
                try (var files = Files.list(path)) {
                    assertThat(files).isEmpty();
                }
            }
        }
    }

    private static List<String> flags(VolumeCapability capability) {
        return capability.mountVolume().orElseThrow().mountFlags().asList();
    }

    @Test
    void eachMountHasItsOwnTargetFlagsAndModeUnderOneClaim() throws IOException {
        assertThat(targets(READER, WRITER, PLAIN, READER))
                .containsExactly("web~2 ro", "web rw", "web~1 rw", "web~2 ro");
        assertThat(claimed).containsExactly(List.of(request(ClaimMode.WRITE)));
        assertThat(bench.node.stageRequests).hasSize(1);
        assertThat(flags(bench.node.stageRequests.get(0).volumeCapability())).containsExactly("noatime");
        assertThat(bench.node.publishRequests)
                .extracting(publish -> Path.of(publish.targetPath()).getFileName() + " "
                        + flags(publish.volumeCapability()) + " " + publish.readonly())
                .containsExactly("web~2 [nosuid] true", "web [noexec] false", "web~1 [noatime] false");
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::volumeCapability)
                .allMatch(capability ->
                        capability.mountVolume().orElseThrow().fsType().equals("ext4"));

        teardown();
        assertThat(bench.node.log)
                .filteredOn(call -> call.startsWith("NodeUnstage"))
                .hasSize(1);
        assertThatNothingIsLeft();
    }

    @Test
    void mountsWithSameFlagsAreStagedWithThem() {
        assertThat(targets(request(ClaimMode.WRITE, "nosuid"), READER)).containsExactly("web rw", "web~1 ro");
        assertThat(claimed).containsExactly(List.of(request(ClaimMode.WRITE, "nosuid")));
        assertThat(flags(bench.node.stageRequests.get(0).volumeCapability())).containsExactly("nosuid");
    }

    @Test
    void pluginWithoutStagingPublishesEachTarget() throws IOException {
        bench.crash();
        bench = new Bench(base, 1, false);
        assertThat(targets(WRITER, READER)).containsExactly("web rw", "web~1 ro");
        teardown();
        assertThatNothingIsLeft();
    }

    @Test
    void accessModeWithOnePathRefusesSecondMountBeforeAnyClaim() {
        RequestedCapability one = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        Throwable failure = catchThrowable(() -> bench.done(workloads()
                .prepare(
                        WEB,
                        List.of(ClaimRequest.writing(VOLUME, one), ClaimRequest.of(VOLUME, ClaimMode.READ, one)))));
        assertThat(failure).isInstanceOf(CompletionException.class).hasCauseInstanceOf(RejectedException.class);
        Rejection.NotAdmitted refusal = (Rejection.NotAdmitted) ((RejectedException) failure.getCause()).reason();
        assertThat(((AdmissionDecision.Never) refusal.decision()).reason())
                .isEqualTo(NeverReason.REQUESTED_DIFFERENTLY);
        assertThat(failure)
                .hasMessageContaining("SINGLE_NODE_WRITER allows one target path on a node (R89)")
                .hasMessageContaining("use SINGLE_NODE_MULTI_WRITER or a MULTI_NODE mode");
        assertThat(claimed).isEmpty();
        assertThat(bench.node.log).isEmpty();
    }

    @Test
    void nodeRefusesSecondTargetOfAccessModeWithOnePath() {
        RequestedCapability one = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        NodeMount.Builder request = NodeMount.builder(Bench.id("v"), WEB, one);
        bench.done(bench.volumes.mount(request.build()));
        assertThat(bench.failed(bench.volumes.mount(request.number(1).build())))
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("one target path on a node (R89)");
        bench.done(bench.volumes.mount(request.number(0).build()));
    }

    @Test
    void repeatedPreparationReturnsSameTargets() {
        List<String> first = targets(WRITER, READER);
        int calls = bench.node.log.size();
        bench.restart();
        assertThat(targets(WRITER, READER)).isEqualTo(first);
        assertThat(bench.node.log).hasSize(calls);
    }

    /** The claim is the same each time, so the servers refuse none of these requests. */
    @Test
    void repeatedPreparationWithOtherMountsKeepsTargetsInUse() throws IOException {
        ClaimRequest third = request(ClaimMode.WRITE, "nodev");
        assertThat(targets(WRITER, PLAIN, READER)).containsExactly("web rw", "web~1 rw", "web~2 ro");
        int calls = bench.node.log.size();
        bench.restart();
        assertThat(targets(READER, PLAIN, WRITER))
                .as("another order")
                .containsExactly("web~2 ro", "web~1 rw", "web rw");
        assertThat(targets(READER, PLAIN)).as("one fewer").containsExactly("web~2 ro", "web~1 rw");
        assertThat(targets(PLAIN)).as("one").containsExactly("web~1 rw");
        assertThat(bench.node.log).hasSize(calls);
        assertThat(targets(third, READER, WRITER, PLAIN))
                .as("one more")
                .containsExactly("web~3 rw", "web~2 ro", "web rw", "web~1 rw");
        assertThat(bench.node.log)
                .filteredOn(call -> call.startsWith("NodeUnpublish") || call.startsWith("NodeUnstage"))
                .isEmpty();
        teardown();
        assertThatNothingIsLeft();
    }

    @Test
    void repeatedPreparationWithOtherOptionsOfStagingIsRefused() {
        bench.crash();
        bench = new Bench(base, 1, false);
        targets(PLAIN);
        assertThat(bench.failed(workloads().prepare(WEB, List.of(WRITER))))
                .hasMessageContaining("has volume ns/v mounted in another way");
    }

    /** An earlier version had only the mount that writes, and left the read-only one to the host. */
    @Test
    void writingMountOfEarlierVersionIsKept() {
        bench.done(bench.volumes.mount(granted(PLAIN)));
        assertThat(targets(request(ClaimMode.READ), PLAIN)).containsExactly("web~1 ro", "web rw");
        assertThat(bench.node.log)
                .filteredOn(call -> call.startsWith("NodeUnpublish"))
                .isEmpty();
    }

    @Test
    void serversSeeOneUseThatWritesIfOneMountWrites() {
        targets(READER, WRITER);
        LedgerReport report = bench.done(bench.volumes.ledger());
        assertThat(report.uses())
                .extracting(VolumeUse::allocationId, VolumeUse::mode, VolumeUse::leaving)
                .containsExactly(tuple(WEB, ClaimMode.WRITE, false));
        bench.node.fates = rpc -> rpc == Rpc.NODE_UNPUBLISH_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        var unused = bench.unmount("v", "web");
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.done(bench.volumes.ledger()).uses())
                .extracting(VolumeUse::mode, VolumeUse::leaving)
                .containsExactly(tuple(ClaimMode.WRITE, true));
    }

    @Test
    void volumeIsExpandedAtTargetThatWrites() {
        targets(READER, request(ClaimMode.READ), WRITER);
        NodeVolumeId id = Bench.id("v");
        bench.done(bench.volumes.expand(new NodeExpand(
                VOLUME,
                id.pluginId(),
                id.externalVolumeId(),
                WEB,
                Bench.MANY,
                MountOptions.none(),
                CapacityRange.atLeast(7),
                Secrets.empty())));
        assertThat(bench.node.log).contains("NodeExpandVolume web OK");
    }

    @Test
    void failedSecondPublishUndoesFirst() throws IOException {
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && ++publications[0] == 2 ? Fate.REFUSED : Fate.OK;
        var prepared = workloads().prepare(WEB, List.of(WRITER, READER));
        assertThat(bench.failed(prepared)).hasMessageContaining("INVALID_ARGUMENT");
        bench.time.advance(Duration.ofMinutes(1));
        assertThatNothingIsLeft();
    }

    @Test
    void permanentFailureOfOneMountLeavesOtherMounts() {
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && ++publications[0] == 1 ? Fate.REFUSED : Fate.OK;
        CompletableFuture<MountedVolume> first =
                bench.volumes.mount(Bench.request("v", "web").build());
        MountedVolume second = bench.done(
                bench.volumes.mount(Bench.request("v", "web").number(1).build()));
        assertThat(first).isCompletedExceptionally();
        assertThat(bench.node.published).containsOnlyKeys(second.targetPath().toString());
    }

    @Test
    void mountWithOtherFlagsAtSameTargetIsRefused() {
        NodeMount.Builder request = Bench.request("v", "web").number(1);
        bench.done(
                bench.volumes.mount(request.targetFlags(MountFlags.of("nosuid")).build()));
        assertThat(bench.failed(bench.volumes.mount(
                        request.targetFlags(MountFlags.of("noexec")).build())))
                .hasMessageContaining("has volume ns/v mounted in another way");
    }

    /** No secrets provider is there, so each publish needs the secrets of its own request. */
    @Test
    void eachMountIsPublishedWithSecretsOfItsRequest() {
        List<CompletableFuture<MountedVolume>> mounts = new ArrayList<>();
        for (int number : new int[] {0, 1}) {
            mounts.add(bench.volumes.mount(Bench.request("v", "web")
                    .number(number)
                    .publishSecrets(Secrets.of(Map.of("k", "secret-" + number)))
                    .build()));
        }
        mounts.forEach(bench::done);
        assertThat(bench.node.publishRequests)
                .extracting(publish -> publish.secrets().asMap())
                .containsExactly(Map.of("k", "secret-0"), Map.of("k", "secret-1"));
    }

    /** The process ends before or after each write of the two mounts, and the answers of some calls are lost. */
    @Test
    void crashAtAnyWriteOfMountsLeavesNothingAfterTeardown() throws IOException {
        for (Fate fate : List.of(Fate.OK, Fate.LOST_ANSWER)) {
            boolean reached = true;
            int checkpoint = 1;
            for (; reached; checkpoint++) {
                reached = crashAt(checkpoint, fate, () -> {
                    var unused = workloads().prepare(WEB, List.of(WRITER, READER));
                });
                if (checkpoint % 2 == 0) {
                    assertThat(targets(WRITER, READER))
                            .as("after checkpoint %s, %s", checkpoint, bench.node.log)
                            .containsExactly("web rw", "web~1 ro");
                    assertThat(bench.node.published).hasSize(2);
                }
                teardown();
                assertThatNothingIsLeft();
            }
            assertThat(checkpoint).isGreaterThan(6);
        }
    }

    /** The process ends before or after each write of the two unmounts, also between them. */
    @Test
    void crashAtAnyWriteOfUnmountsLeavesNothingAfterRepeatedTeardown() throws IOException {
        for (Fate fate : List.of(Fate.OK, Fate.LOST_ANSWER)) {
            boolean reached = true;
            int checkpoint = 1;
            for (; reached; checkpoint++) {
                targets(WRITER, READER);
                reached = crashAt(checkpoint, fate, () -> {
                    var unused = workloads().teardown(WEB, Duration.ofSeconds(30));
                });
                if (checkpoint % 2 == 0) {
                    teardown();
                } else {
                    assertThat(targets(WRITER, READER))
                            .as("after checkpoint %s, %s", checkpoint, bench.node.log)
                            .containsExactly("web rw", "web~1 ro");
                    assertThat(bench.node.published).hasSize(2);
                    teardown();
                }
                assertThatNothingIsLeft();
            }
            assertThat(checkpoint).isGreaterThan(4);
        }
    }

    /**
     * Ends the process at one of its checkpoints, and starts the next one.
     *
     * @param fate the fate of the second and the fifth call, which publish the targets
     * @return whether the work reached the checkpoint
     */
    private boolean crashAt(int checkpoint, Fate fate, Runnable work) {
        int[] left = {checkpoint};
        int[] calls = {0};
        bench.node.fates = rpc -> ++calls[0] % 3 == 2 && calls[0] < 6 ? fate : Fate.OK;
        bench.checkpoint = () -> {
            left[0]--;
            if (left[0] <= 0) {
                throw new IOException("the process ends here");
            }
        };
        work.run();
        bench.time.advance(Duration.ofSeconds(20));
        bench.crash();
        bench.checkpoint = () -> {};
        bench.node.fates = rpc -> Fate.OK;
        bench.open();
        return left[0] <= 0;
    }

    /** The record of the volume was lost, so that only the paths say what is mounted for the allocation. */
    @Test
    void bothTargetsAreUnmountedAfterLossOfRecord() throws IOException {
        targets(WRITER, READER);
        bench.crash();
        Files.write(base.resolve("ledger/ns/v.rec"), new byte[] {9});
        bench.open();
        bench.done(bench.unmount("v", "web"));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void flagsOfTargetsAppearInNoText() {
        NodeMount mount = NodeMount.builder(Bench.id("v"), WEB, Bench.MANY)
                .targetFlags(MountFlags.of("password=canary"))
                .build();
        assertThat(mount.toString()).doesNotContain("canary");
        assertThat(mount.targetFlags().asList()).containsExactly("password=canary");
        bench.done(bench.volumes.mount(mount));
        assertThat(bench.volumes.volumes().toString() + bench.events).doesNotContain("canary");
    }
}
