package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Edge cases that belong to no other test class. */
class NodeEdgeCasesTest {
    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private void fates(Rpc rpc, Fate... fates) {
        Deque<Fate> left = new ArrayDeque<>(List.of(fates));
        bench.node.fates = called -> called == rpc && !left.isEmpty() ? left.remove() : Fate.OK;
    }

    private List<NodeVolumeEvent> events(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).toList();
    }

    @Test
    void createdDirectoriesArePrivateAndPluginCreatesTarget() throws IOException {
        Files.createDirectories(base.resolve("staging/ns/v"));
        boolean[] leafWasThere = new boolean[1];
        bench.node.fates = rpc -> {
            leafWasThere[0] |= rpc == Rpc.NODE_PUBLISH_VOLUME && Files.exists(Path.of(bench.target("v", "a")));
            return Fate.OK;
        };
        bench.done(bench.mount("v", "a"));
        assertThat(leafWasThere[0]).isFalse();
        for (String made : List.of("staging/ns/v/mount-5", "publish/ns/v", "publish/ns", "publish")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(base.resolve(made))))
                    .as(made)
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void directoryThatOthersCanWriteIsRefused() throws IOException {
        bench.crash();
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> bench.another().build())
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("rwxrwxrwx")
                .hasMessageContaining("chmod 700");
    }

    @Test
    void ledgerOfAnotherUserIsRefused() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        bench.crash();
        Files.setAttribute(base.resolve("ledger"), "unix:uid", 65_534);
        assertThatThrownBy(() -> bench.another().build())
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("ledger belongs to the user")
                .hasMessageContaining("chown");
    }

    @Test
    void unmountSucceedsWhenPluginForgotVolumeAndTargetIsGone() {
        bench.done(bench.mount("v", "a"));
        // The plugin has no record of the volume, and the mounts were lost in a reboot.
        bench.node.mounts.clear();
        bench.node.published.clear();
        bench.node.staged.clear();
        bench.node.notFound = true;
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void unmountFailsIfPluginAnswersNotFoundWhileTargetIsMounted() {
        bench.done(bench.mount("v", "a"));
        bench.node.notFound = true;
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(unmount).isNotDone();
        bench.node.notFound = false;
        bench.done(unmount);
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void eachFailedAttemptIsReportedAsOneEvent() {
        fates(Rpc.NODE_PUBLISH_VOLUME, Fate.UNAVAILABLE, Fate.ABORTED);
        bench.done(bench.mount("v", "a"));
        assertThat(events(Kind.STEP_FAILED)).hasSize(2).allSatisfy(event -> {
            assertThat(event.volume()).contains(VolumeKey.of("ns", "v"));
            assertThat(event.allocationId()).contains(AllocationId.of("a"));
        });
        assertThat(events(Kind.STEP_FAILED).get(0).message()).contains("UNAVAILABLE");
        assertThat(events(Kind.STEP_FAILED).get(1).message()).contains("ABORTED");
        fates(Rpc.NODE_UNPUBLISH_VOLUME, Fate.UNAVAILABLE);
        bench.done(bench.unmount("v", "a"));
        assertThat(events(Kind.STEP_FAILED)).hasSize(3);
        assertThat(events(Kind.MOUNTED)).hasSize(1);
        assertThat(events(Kind.UNMOUNTED)).hasSize(1);
    }

    @Test
    void volumeIsNotUnstagedWhileAnotherAllocationIsBeingPublished() {
        for (int millis = 0; millis < 25; millis++) {
            bench.done(bench.mount("v", "a"));
            CompletableFuture<MountedVolume> coming = bench.mount("v", "b");
            bench.time.advance(Duration.ofMillis(millis / 5));
            CompletableFuture<Void> going = bench.unmount("v", "a");
            bench.time.advance(Duration.ofMillis(millis % 5));
            bench.done(going);
            bench.done(coming);
            assertThat(bench.node.staged).containsOnlyKeys("ext-v");
            assertThat(bench.node.published).containsOnlyKeys(bench.target("v", "b"));
            bench.done(bench.unmount("v", "b"));
        }
    }

    private void theFirstOfTwoEndsDoesNotUnstage() {
        bench.node.log.clear();
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.log).containsExactly("NodeUnpublishVolume a OK");
        assertThat(bench.node.staged).containsOnlyKeys("ext-v");
        bench.done(bench.unmount("v", "b"));
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void volumeIsNotUnstagedByFirstOfTwoUnmountsAfterRestart() {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.restart();
        theFirstOfTwoEndsDoesNotUnstage();
    }

    @Test
    void volumeIsNotUnstagedByFirstOfTwoUnmountsAfterPluginReplacement() {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.node.there = false;
        bench.time.advance(Duration.ofMinutes(1));
        bench.node.there = true;
        bench.volumes.pluginChanged(PluginId.of("p"));
        theFirstOfTwoEndsDoesNotUnstage();
    }

    @Test
    void waitingMountContinuesWithoutPollWhenFollowedRegistryChanges() {
        bench.crash();
        bench.options = Bench.unsynced().pluginPoll(Duration.ofDays(1)).build();
        bench.open();
        bench.node.there = false;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        InstanceKey instance =
                new InstanceKey(NodeId.of("n1"), Bench.id("v").pluginId(), PluginType.NODE, Optional.empty());
        try (PluginRegistry registry = PluginRegistry.builder(NodeId.of("n1"))
                .store(FilePluginStateStore.at(base.resolve("plugins")))
                .environment(bench.time.environment(new SplittableRandom(1)))
                .open()) {
            Cancellable following = bench.volumes.follow(registry);
            bench.time.advance(Duration.ofMinutes(1));
            bench.node.there = true;
            bench.time.advance(Duration.ofMinutes(1));
            assertThat(mount).as("the next poll is a day later").isNotDone();
            var unused = registry.register(PluginRegistration.of(instance, base.resolve("csi.sock")));
            bench.done(mount);
            following.cancel();
        }
    }

    @Test
    void volumesAreNotMountedIfClaimFails() {
        CompletableFuture<ClaimGrant> claim =
                CompletableFuture.failedFuture(new IllegalStateException("unschedulable"));
        WorkloadVolumes workloads =
                new WorkloadVolumes(bench.volumes, (allocation, requests) -> NodeMount.granted(claim), bench.time);
        CompletableFuture<List<MountedVolume>> prepared = workloads.prepare(
                AllocationId.of("web"), List.of(ClaimRequest.of(VolumeKey.of("ns", "v"), ClaimMode.WRITE, Bench.MANY)));
        bench.time.advance(Duration.ofMinutes(1));
        assertThatThrownBy(prepared::join).hasMessageContaining("unschedulable");
        assertThat(bench.node.log).isEmpty();
        assertThat(bench.done(workloads.teardown(AllocationId.of("web"), Duration.ofSeconds(1)))
                        .left())
                .isEmpty();
        assertThat(bench.node.log).isEmpty();
    }

    @Test
    void workloadWithoutVolumesIsRejected() {
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> {
                    throw new AssertionError("unexpected claim request");
                },
                bench.time);
        assertThatThrownBy(() -> workloads.prepare(AllocationId.of("web"), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("requests: there is none; name at least one volume");
        assertThat(bench.done(workloads.teardown(AllocationId.of("web"), Duration.ofSeconds(1)))
                        .left())
                .isEmpty();
    }

    @Test
    void directoryIsKeptUntilFailedUnpublishSucceeds() throws IOException {
        bench.done(bench.mount("v", "a"));
        fates(Rpc.NODE_UNPUBLISH_VOLUME, Fate.UNAVAILABLE, Fate.REFUSED);
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(100));
        assertThat(events(Kind.STEP_FAILED)).isNotEmpty();
        assertThat(unmount).isNotDone();
        // The directory is kept, although it is empty, until the plugin has unpublished the target.
        assertThat(Files.exists(Path.of(bench.target("v", "a")))).isTrue();
        bench.done(unmount);
        assertThat(Files.exists(Path.of(bench.target("v", "a")))).isFalse();
    }

    @Test
    void unmountingUnmountedVolumeNeedsNoPlugin() {
        bench.node.there = false;
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(10));
        assertThat(unmount).isCompleted();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void volumesWithSameIdInTwoNamespacesHaveDifferentPaths() {
        bench.done(bench.mount("v", "a"));
        NodeVolumeId other =
                new NodeVolumeId(VolumeKey.of("other", "v"), PluginId.of("p"), ExternalVolumeId.of("ext-other"));
        MountedVolume mounted = bench.done(bench.volumes.mount(
                NodeMount.builder(other, AllocationId.of("a"), Bench.MANY).build()));
        assertThat(mounted.targetPath().toString()).contains("/publish/other/v/");
        assertThat(bench.node.staged.values()).doesNotHaveDuplicates().hasSize(2);
        bench.done(bench.volumes.unmount(new NodeUnmount(other, AllocationId.of("a"))));
        assertThat(bench.node.staged).containsOnlyKeys("ext-v");
        assertThat(bench.node.published).containsOnlyKeys(bench.target("v", "a"));
        assertThat(bench.volumes.volumesOf(PluginId.of("p"))).containsExactly(VolumeKey.of("ns", "v"));
        assertThat(bench.volumes.volumesOf(PluginId.of("q"))).isEmpty();
    }

    /** Before the ledger is read, the plugin must not count as unneeded. */
    @Test
    void listingVolumesOfPluginBeforeLedgerIsReadThrowsException() throws IOException {
        bench.done(bench.mount("v", "a"));
        bench.crash();
        NodeVolumes next = bench.another().build();
        assertThatThrownBy(() -> next.volumesOf(PluginId.of("p"))).hasMessageContaining("has not been read");
        CompletableFuture<Void> start = next.start();
        assertThatThrownBy(() -> next.volumesOf(PluginId.of("p"))).isInstanceOf(IllegalStateException.class);
        bench.done(start);
        assertThat(next.volumesOf(PluginId.of("p"))).containsExactly(VolumeKey.of("ns", "v"));
        bench.done(next.stop());
    }
}
