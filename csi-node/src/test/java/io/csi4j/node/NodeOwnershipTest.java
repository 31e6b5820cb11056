package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.ScriptedNode.Fate;
import io.csi4j.node.transport.TransportCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The node gives the files of a volume to the volume mount group, because the plugin does not have VOLUME_MOUNT_GROUP. */
class NodeOwnershipTest {
    private static final Duration MOMENT = Duration.ofSeconds(2);
    private static final OwnershipSettings FIXED = new OwnershipSettings(true, List.of());

    @TempDir
    Path base;

    private Bench bench;
    private final List<Change> changes = new ArrayList<>();

    /** A change of ownership that the test ends. */
    private record Change(
            Path target, FileOwnership wanted, OwnershipProgress progress, CompletableFuture<Void> result) {}

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.ownership = (target, wanted, progress) -> {
            bench.node.log.add("change " + target.getFileName());
            Change change = new Change(target, wanted, progress, new CompletableFuture<>());
            changes.add(change);
            return change.result();
        };
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private CompletableFuture<MountedVolume> mount(String volume, String allocation) {
        return bench.volumes.mount(Bench.request(volume, allocation)
                .mountOptions(new MountOptions("ext4", MountFlags.of("noatime"), "1234"))
                .build());
    }

    private void advance() {
        bench.time.advance(MOMENT);
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
    }

    private List<String> groupsOfCalls() {
        List<VolumeCapability> capabilities = new ArrayList<>();
        bench.node.stageRequests.forEach(request -> capabilities.add(request.volumeCapability()));
        bench.node.publishRequests.forEach(request -> capabilities.add(request.volumeCapability()));
        return capabilities.stream()
                .map(capability -> capability.mountVolume().orElseThrow().volumeMountGroup())
                .toList();
    }

    private List<Kind> kinds() {
        return bench.events.stream().map(NodeVolumeEvent::kind).toList();
    }

    @Test
    void mountIsReportedWhenTheFilesHaveTheGroup() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        Change change = changes.get(0);
        assertThat(change.target()).isEqualTo(Path.of(bench.target("v", "a")));
        assertThat(change.wanted())
                .isEqualTo(new FileOwnership(1234, GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty()));
        assertThat(groupsOfCalls()).containsExactly("", "");
        change.progress().visit();
        change.progress().visit();
        change.progress().change();
        assertThat(status().waitingFor()).contains("group of the mount").contains("1 changed of 2 looked at");
        assertThat(status().uses().get(0).state()).isEqualTo(NodeVolumeStatus.State.MOUNTING);
        bench.time.advance(Duration.ofHours(10));
        assertThat(mounted).isNotDone();
        assertThat(kinds()).containsExactly(Kind.OWNERSHIP_CHANGE, Kind.OWNERSHIP_STALLED);

        change.result().complete(null);
        assertThat(bench.done(mounted).targetPath()).isEqualTo(change.target());
        assertThat(kinds()).containsExactly(Kind.OWNERSHIP_CHANGE, Kind.OWNERSHIP_STALLED, Kind.MOUNTED);
        assertThat(changes).hasSize(1);
        assertThat(status().waitingFor()).isEmpty();
        bench.restart();
        assertThat(bench.done(mount("v", "a")).targetPath()).isEqualTo(change.target());
        assertThat(changes).as("a finished change is not repeated").hasSize(1);
    }

    private CompletableFuture<MountedVolume> mount(String group, GroupChangePolicy policy, OptionalLong owner) {
        return bench.volumes.mount(Bench.request("v", "a")
                .mountOptions(new MountOptions("ext4", MountFlags.empty(), group, new OwnershipOptions(policy, owner)))
                .build());
    }

    @Test
    void ownershipOptionsReachTheChangeAlsoAfterARestart() {
        CompletableFuture<MountedVolume> mounted = mount("1234", GroupChangePolicy.ROOT_ONLY, OptionalLong.of(7));
        advance();
        FileOwnership wanted = new FileOwnership(1234, GroupChangePolicy.ROOT_ONLY, OptionalLong.of(7));
        assertThat(changes.get(0).wanted()).isEqualTo(wanted);
        assertThat(mounted).isNotDone();
        bench.crash();
        bench.restart();
        CompletableFuture<MountedVolume> again = mount("1234", GroupChangePolicy.ROOT_ONLY, OptionalLong.of(7));
        advance();
        assertThat(changes.get(1).wanted()).isEqualTo(wanted);
        changes.get(1).result().complete(null);
        bench.done(again);
        bench.restart();
        bench.done(mount("1234", GroupChangePolicy.ROOT_ONLY, OptionalLong.of(7)));
        assertThat(changes).as("the ledger has the same options").hasSize(2);
    }

    private static NodeMount.Builder grouped(String allocation, OwnershipSettings settings) {
        return Bench.request("v", allocation)
                .mountOptions(new MountOptions("ext4", MountFlags.of("noatime"), "1234"))
                .ownershipSettings(settings);
    }

    private static OwnershipSettings excluding(String... names) {
        return new OwnershipSettings(false, List.of(names));
    }

    private FileOwnership wanted(String... excludes) {
        return new FileOwnership(1234, GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty(), List.of(excludes));
    }

    /** The settings are those of the grant, whatever the profile says when the change begins again. */
    @Test
    void excludesOfTheGrantReachTheChangeAlsoAfterARestart() {
        CompletableFuture<MountedVolume> unused = bench.volumes.mount(
                grouped("a", excluding(".snapshot", "lost+found")).build());
        advance();
        assertThat(changes.get(0).wanted()).isEqualTo(wanted(".snapshot", "lost+found"));
        bench.crash();
        bench.restart();
        CompletableFuture<MountedVolume> again =
                bench.volumes.mount(grouped("a", excluding("other")).build());
        advance();
        assertThat(changes.get(1).wanted()).isEqualTo(wanted(".snapshot", "lost+found"));
        changes.get(1).result().complete(null);
        bench.done(again);
        assertThat(bench.node.stageRequests).hasSize(1);
    }

    @Test
    void mountsWithOtherSettingsShareTheStaging() {
        CompletableFuture<MountedVolume> first =
                bench.volumes.mount(grouped("a", excluding(".snapshot")).build());
        advance();
        changes.get(0).result().complete(null);
        bench.done(first);
        CompletableFuture<MountedVolume> second =
                bench.volumes.mount(grouped("b", excluding()).build());
        advance();
        assertThat(changes.get(1).wanted()).isEqualTo(wanted());
        changes.get(1).result().complete(null);
        bench.done(second);
        assertThat(bench.node.stageRequests).hasSize(1);
        assertThat(bench.node.publishRequests).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fixedOwnershipIsRefusedBeforeAnyCall(boolean transported) {
        NodeMount mount = grouped("a", FIXED).build();
        if (transported) {
            mount = TransportCodec.MOUNTS
                    .decode(TransportCodec.MOUNTS.encode(List.of(mount)))
                    .get(0);
        }
        Throwable refused = bench.failed(bench.volumes.mount(mount));
        assertThat(refused)
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(NodeVolumeException.Reason.UNSUPPORTED))
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining("the profile of plugin " + mount.pluginId() + " had ownershipFixed")
                .hasMessageContaining("put the profile without ownershipFixed");
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.node.publishRequests).isEmpty();
        assertThat(changes).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void fixedOwnershipConcernsNeitherMountsWithoutAGroupNorPluginsThatSetIt() {
        bench.done(bench.volumes.mount(
                Bench.request("w", "a").ownershipSettings(FIXED).build()));
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        bench.done(bench.volumes.mount(grouped("a", FIXED).build()));
        assertThat(groupsOfCalls()).containsExactly("", "1234", "", "1234");
        assertThat(changes).isEmpty();
    }

    /** Both are requested before any call, so the volume is staged for the one that may have its group. */
    @Test
    void refusedMountDoesNotFailAnotherOne() {
        bench.node.there = false;
        CompletableFuture<MountedVolume> fixed =
                bench.volumes.mount(grouped("a", FIXED).build());
        CompletableFuture<MountedVolume> other =
                bench.volumes.mount(grouped("b", excluding(".snapshot")).build());
        advance();
        bench.node.there = true;
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(changes).hasSize(1);
        assertThat(changes.get(0).wanted()).isEqualTo(wanted(".snapshot"));
        changes.get(0).result().complete(null);
        bench.done(other);
        assertThat(bench.failed(fixed)).hasMessageContaining("ownershipFixed");
        assertThat(bench.node.stageRequests).hasSize(1);
        assertThat(bench.node.publishRequests).hasSize(1);
    }

    @Test
    void mountedVolumeStaysWhenTheProfileForbidsIt() {
        CompletableFuture<MountedVolume> first =
                bench.volumes.mount(grouped("a", excluding()).build());
        advance();
        changes.get(0).result().complete(null);
        bench.done(first);
        bench.restart();
        bench.done(bench.volumes.mount(grouped("a", FIXED).build()));
        assertThat(changes).hasSize(1);
        assertThat(bench.node.publishRequests).hasSize(1);
    }

    /** A volume with files is mounted as it is, so a mount that only reads needs no change. */
    @Test
    void mountForReadingMayHaveAGroupForEmptyVolumes() {
        MountOptions initial = new MountOptions(
                "ext4",
                MountFlags.empty(),
                "1234",
                new OwnershipOptions(GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.empty()));
        bench.done(bench.volumes.mount(
                Bench.request("v", "a").mountOptions(initial).readonly(true).build()));
        assertThat(changes).isEmpty();
        CompletableFuture<MountedVolume> writes = bench.volumes.mount(
                Bench.request("v", "b").mountOptions(initial).build());
        advance();
        assertThat(changes.get(0).wanted().policy()).isEqualTo(GroupChangePolicy.ROOT_IF_EMPTY);
        changes.get(0).result().complete(null);
        bench.done(writes);
        assertThat(groupsOfCalls()).containsOnly("");
    }

    @ParameterizedTest
    @CsvSource({"1234, ROOT_ONLY, leave them out", "1234, ALWAYS, leave them out", "'', ALWAYS, name the group"})
    void ownershipOptionsThatTheNodeDoesNotMeetAreRefused(String group, GroupChangePolicy policy, String remedy) {
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        assertThat(bench.failed(mount(group, policy, OptionalLong.of(7))))
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining(remedy);
        assertThat(bench.node.stageRequests).isEmpty();
    }

    @Test
    void pluginWithTheCapabilityGetsTheGroupAndTheNodeChangesNothing() {
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        bench.done(mount("v", "a"));
        assertThat(groupsOfCalls()).containsExactly("1234", "1234");
        assertThat(changes).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deliveryStaysWhenThePluginIsReplacedByOneThatDiffers(boolean canAtFirst) {
        if (canAtFirst) {
            bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        }
        Deque<Fate> fates = new ArrayDeque<>(List.of(Fate.LOST_ANSWER));
        bench.node.fates = rpc -> rpc == Rpc.NODE_STAGE_VOLUME && !fates.isEmpty() ? fates.remove() : Fate.OK;
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        bench.time.advance(Duration.ofMillis(6));
        assertThat(bench.node.stageRequests).hasSize(1);
        bench.crash();
        if (!canAtFirst) {
            bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        }
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.stageRequests).hasSize(2);
        assertThat(bench.node.stageRequests.get(1).volumeCapability())
                .isEqualTo(bench.node.stageRequests.get(0).volumeCapability());
        assertThat(changes).hasSize(canAtFirst ? 0 : 1);
        assertThat(mounted).isNotDone();
    }

    @Test
    void manyRequestsOfOneMountWaitForOneChange() {
        List<CompletableFuture<MountedVolume>> mounts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            mounts.add(mount("v", "a"));
            advance();
        }
        assertThat(changes).hasSize(1);
        changes.get(0).result().complete(null);
        mounts.forEach(bench::done);
        assertThat(changes).hasSize(1);
    }

    @Test
    void otherVolumesDoNotWait() {
        CompletableFuture<MountedVolume> slow = mount("v", "a");
        advance();
        bench.done(bench.mount("w", "a"));
        assertThat(slow).isNotDone();
    }

    @Test
    void changeThatReachesNoFileIsReportedOnceAndInTheStatus() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        Change change = changes.get(0);
        change.progress().because("the root directory has mode 0755 instead of 2775");
        change.progress().visit();
        bench.time.advance(Duration.ofSeconds(55));
        assertThat(status().waitingFor())
                .contains("0 changed of 1 looked at, because the root directory has mode 0755 instead of 2775")
                .doesNotContain("no file was reached");
        change.progress().visit();
        bench.time.advance(Duration.ofSeconds(55));
        assertThat(kinds()).as("a file was reached meanwhile").containsExactly(Kind.OWNERSHIP_CHANGE);
        bench.time.advance(Duration.ofMinutes(10));
        assertThat(status().waitingFor())
                .contains("0 changed of 2 looked at")
                .containsPattern("no file was reached for 6[0-9][0-9][.]0 s; look")
                .contains("whether the storage answers");
        assertThat(kinds()).containsExactly(Kind.OWNERSHIP_CHANGE, Kind.OWNERSHIP_STALLED);
        assertThat(bench.events.get(1).message())
                .contains("ns/v")
                .contains("no file was reached for 1 min after 0 changed of 2 looked at, because the root directory")
                .contains("restart the agent");

        change.progress().change();
        bench.time.advance(Duration.ofSeconds(15));
        assertThat(status().waitingFor()).doesNotContain("no file was reached");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(kinds())
                .as("the second time")
                .containsExactly(Kind.OWNERSHIP_CHANGE, Kind.OWNERSHIP_STALLED, Kind.OWNERSHIP_STALLED);
        change.result().complete(null);
        bench.done(mounted);
        assertThat(bench.events.get(3).message()).contains("its files: 1 changed of 2 looked at, because the root");
        bench.time.advance(Duration.ofHours(1));
        assertThat(kinds()).hasSize(4);
    }

    @Test
    void withdrawnMountCancelsTheChangeAndIsUnpublishedAfterIt() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        CompletableFuture<Void> unmounted = bench.unmount("v", "a");
        advance();
        assertThat(changes.get(0).progress().isCancelled()).isTrue();
        assertThat(mounted).isCompletedExceptionally();
        assertThat(bench.node.log).noneMatch(line -> line.contains("Unpublish"));
        changes.get(0).result().completeExceptionally(new IOException("cancelled"));
        bench.done(unmounted);
        assertThat(bench.node.log)
                .filteredOn(line -> line.contains("Unpublish"))
                .hasSize(1);
        assertThat(kinds()).containsExactly(Kind.OWNERSHIP_CHANGE, Kind.UNMOUNTED);
    }

    @Test
    void failedChangeIsRepeatedAndThePathIsNotHandedOutBefore() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        changes.get(0).result().completeExceptionally(new IOException("file 'x' could not be changed"));
        bench.time.advance(Duration.ofMillis(50));
        assertThat(status().lastError()).contains("file 'x' could not be changed");
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(mounted).isNotDone();
        assertThat(bench.node.log).noneMatch(line -> line.contains("Unpublish"));
        assertThat(changes).hasSize(2);
        changes.get(1).result().complete(null);
        bench.done(mounted);
        assertThat(status().lastError()).isEmpty();
    }

    @Test
    void changeThatFailsForEverEndsWithTheLimitOfTheMount() {
        bench.ownership = (target, wanted, progress) ->
                CompletableFuture.failedFuture(new IOException("file 'x' could not be changed"));
        assertThat(bench.failed(mount("v", "a")))
                .hasMessageContaining("was not mounted")
                .hasMessageContaining("file 'x' could not be changed");
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void fileSystemThatCannotChangeFailsTheMountAndIsUnpublished() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        changes.get(0)
                .result()
                .completeExceptionally(
                        new NodeVolumeException(NodeVolumeException.Reason.UNSUPPORTED, "cannot be changed here"));
        assertThat(bench.failed(mounted)).hasMessageContaining("cannot be changed here");
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void rebootDuringTheChangePublishesAndChangesAgain() {
        CompletableFuture<MountedVolume> unused = mount("v", "a");
        advance();
        bench.crash();
        bench.node.reboot();
        bench.open();
        advance();
        assertThat(bench.node.publishRequests).hasSize(2);
        assertThat(changes).hasSize(2);
        CompletableFuture<MountedVolume> again = mount("v", "a");
        advance();
        assertThat(again).isNotDone();
        changes.get(1).result().complete(null);
        bench.done(again);
    }

    @Test
    void mountThatDisappearsDuringTheChangeIsMadeAndChangedAgain() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        bench.node.unmount(changes.get(0).target());
        bench.node.loseRecord(changes.get(0).target().toString());
        changes.get(0).result().complete(null);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(mounted).isNotDone();
        assertThat(changes).hasSize(2);
        changes.get(1).result().complete(null);
        bench.done(mounted);
    }

    @Test
    void changeNeedsNoPlugin() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        bench.node.there = false;
        changes.get(0).result().completeExceptionally(new IOException("for a while"));
        bench.time.advance(Duration.ofMinutes(1));
        changes.get(1).result().complete(null);
        bench.done(mounted);
    }

    @Test
    void stoppedNodeCancelsTheChange() {
        CompletableFuture<MountedVolume> mounted = mount("v", "a");
        advance();
        CompletableFuture<Void> stopped = bench.volumes.stop();
        advance();
        assertThat(changes.get(0).progress().isCancelled()).isTrue();
        assertThat(stopped).isCompleted();
        assertThat(mounted).isCompletedExceptionally();
    }

    @Test
    void readOnlyMountBesideAWritableOneNeedsNoChangeOfItsOwn() {
        CompletableFuture<MountedVolume> writes = mount("v", "a");
        CompletableFuture<MountedVolume> reads = bench.volumes.mount(Bench.request("v", "b")
                .mountOptions(new MountOptions("ext4", MountFlags.of("noatime"), "1234"))
                .readonly(true)
                .build());
        advance();
        assertThat(changes).hasSize(1);
        changes.get(0).result().complete(null);
        bench.done(writes);
        bench.done(reads);
        assertThat(changes).hasSize(1);
    }

    /** The process ends at each write of the ledger, and in the middle of the change. The mount comes to its end. */
    @Test
    void crashAtEachWriteLosesNoChange() {
        boolean reached = true;
        int crashes = 0;
        for (int at = 1; reached; at++) {
            String volume = "v" + at;
            int[] left = {at};
            bench.checkpoint = () -> {
                if (--left[0] == 0) {
                    throw new IOException("the process ends here");
                }
            };
            changes.clear();
            CompletableFuture<MountedVolume> mounted = mount(volume, "a");
            advance();
            reached = left[0] <= 0;
            if (!reached && !changes.isEmpty()) {
                changes.get(0).result().complete(null);
                advance();
                reached = left[0] <= 0;
            }
            crashes += reached ? 1 : 0;
            bench.checkpoint = () -> {};
            boolean ready = mounted.isDone() && !mounted.isCompletedExceptionally();
            boolean changed =
                    ready || (!changes.isEmpty() && changes.get(0).result().isDone());
            changes.clear();
            bench.restart();
            CompletableFuture<MountedVolume> again = mount(volume, "a");
            bench.time.advance(Duration.ofMinutes(1));
            if (!changes.isEmpty()) {
                assertThat(again).as("crash at write %s", at).isNotDone();
                changes.get(changes.size() - 1).result().complete(null);
            }
            bench.done(again);
            assertThat(changed || !changes.isEmpty())
                    .as("crash at write %s: the files were changed before the mount was reported", at)
                    .isTrue();
            bench.done(bench.unmount(volume, "a"));
        }
        assertThat(crashes).isGreaterThan(4);
    }
}
