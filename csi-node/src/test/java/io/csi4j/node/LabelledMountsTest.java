package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.ScriptedNode.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The security label as a mount flag: the same in each call until the volume is unmounted, and looked for in the mount table. */
class LabelledMountsTest {
    private static final SecurityLabel A = new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2,c3");
    private static final SecurityLabel B = new SecurityLabel("system_u:object_r:container_file_t:s0:c8,c9");
    private static final String FLAG = "context=\"system_u:object_r:container_file_t:s0:c1,c2,c3\"";

    @TempDir
    private Path base;

    private static NodeMount.Builder request(String allocation, SecurityLabel label, boolean byMount) {
        return Bench.request("v", allocation)
                .mountOptions(MountOptions.of("ext4", "noatime").withLabel(label))
                .labelByMount(byMount);
    }

    private static MountedVolume mounted(Bench bench, String allocation, SecurityLabel label, boolean byMount) {
        return bench.done(
                bench.volumes.mount(request(allocation, label, byMount).build()));
    }

    private static NodeVolumeException refused(Bench bench, NodeMount mount) {
        Throwable failure = bench.failed(bench.volumes.mount(mount));
        assertThat(failure).isInstanceOf(NodeVolumeException.class);
        return (NodeVolumeException) failure;
    }

    private static List<List<String>> staged(Bench bench) {
        return flags(bench.node.stageRequests.stream().map(NodeStageVolumeRequest::volumeCapability));
    }

    private static List<List<String>> published(Bench bench) {
        return flags(bench.node.publishRequests.stream().map(NodePublishVolumeRequest::volumeCapability));
    }

    private static List<List<String>> flags(Stream<VolumeCapability> capabilities) {
        return capabilities
                .map(capability ->
                        capability.mountVolume().orElseThrow().mountFlags().asList())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pluginGetsTheLabelAndTheHostLearnsThatItIsApplied(boolean stages) {
        Bench bench = new Bench(base, 1, stages);
        MountedVolume mounted = mounted(bench, "a", A, true);
        assertThat(mounted.labelApplied()).isTrue();
        assertThat(published(bench)).containsExactly(List.of("noatime", FLAG));
        assertThat(staged(bench)).isEqualTo(stages ? List.of(List.of("noatime", FLAG)) : List.of());
        assertThat(mounted(bench, "a", A, true).labelApplied()).isTrue();
        assertThat(published(bench)).hasSize(1);
    }

    @Test
    void pluginWithoutTheProfileGetsNothingAndTheHostLearnsIt() {
        Bench bench = new Bench(base, 2, true);
        assertThat(mounted(bench, "a", A, false).labelApplied()).isFalse();
        assertThat(staged(bench)).containsExactly(List.of("noatime"));
        assertThat(published(bench)).containsExactly(List.of("noatime"));
        assertThat(bench.done(bench.mount("w", "a")).labelApplied()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pluginThatDropsTheLabelGetsNoGrantAndIsUndone(boolean stages) {
        Bench bench = new Bench(base, 3, stages);
        bench.node.dropsLabel = true;
        NodeVolumeException failure = refused(bench, request("a", A, true).build());
        assertThat(failure.reason()).isEqualTo(Reason.LABEL_NOT_APPLIED);
        assertThat(failure).hasMessageContainingAll("security label", "remove securityLabel from its profile");
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.staged).isEmpty();
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        assertThat(bench.events).noneMatch(event -> event.kind() == Kind.MOUNTED);
        bench.node.dropsLabel = false;
        assertThat(mounted(bench, "a", A, true).labelApplied()).isTrue();
    }

    /** A staging without a mount has nothing to look at; the target has. */
    @Test
    void labelOfTheTargetCountsIfNothingIsMountedAtTheStaging() {
        Bench bench = new Bench(base, 4, true);
        bench.node.stagesWithoutMount = true;
        assertThat(mounted(bench, "a", A, true).labelApplied()).isTrue();
        bench.node.dropsLabel = true;
        assertThat(refused(bench, request("b", A, true).build()).reason()).isEqualTo(Reason.LABEL_NOT_APPLIED);
    }

    @Test
    void unreadableTableProvesNoLabel() {
        Bench bench = new Bench(base, 5, true);
        int[] calls = {0};
        bench.node.fates = rpc -> {
            bench.node.tableFails = calls[0]++ == 1;
            return Fate.OK;
        };
        var mount = bench.volumes.mount(request("a", A, true).build());
        bench.time.advance(Duration.ofMillis(30));
        assertThat(mount).isNotDone();
        bench.node.tableFails = false;
        assertThat(bench.done(mount).labelApplied()).isTrue();
    }

    @Test
    void restartBetweenStageAndPublishKeepsTheLabel() {
        Bench bench = new Bench(base, 6, true);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        var first = bench.volumes.mount(request("a", A, true).build());
        bench.time.advance(Duration.ofMillis(200));
        assertThat(staged(bench)).hasSize(1);
        assertThat(first).isNotDone();
        bench.crash();
        bench.node.fates = rpc -> Fate.OK;
        bench.open();
        // The profile was changed meanwhile, and the leader grants again.
        assertThat(bench.done(bench.volumes.mount(request("a", A, false).build()))
                        .labelApplied())
                .isTrue();
        assertThat(published(bench)).hasSizeGreaterThan(1).containsOnly(List.of("noatime", FLAG));
        assertThat(mounted(bench, "b", A, true).labelApplied()).isTrue();
        assertThat(bench.node.violations).isEmpty();
    }

    /** Something else has mounted the volume again while no agent ran, or while it runs. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void labelThatAMountHasLostIsReportedOnceAndShown(boolean whileItRuns) {
        Bench bench = new Bench(base, 14, true);
        Path target = mounted(bench, "a", A, true).targetPath();
        bench.done(bench.mount("w", "a"));
        bench.restart();
        bench.done(bench.volumes.check());
        assertThat(kinds(bench)).doesNotContain(Kind.LABEL_CHANGED);
        if (!whileItRuns) {
            bench.crash();
        }
        bench.node.contexts.put(target, B.context());
        if (!whileItRuns) {
            bench.open();
        }
        bench.done(bench.volumes.check());
        bench.done(bench.volumes.check());
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.LABEL_CHANGED)
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.allocationId()).contains(AllocationId.of("a"));
                    assertThat(event.message())
                            .contains("ns/v", target.toString(), A.toString(), "unmount it and mount it again");
                });
        assertThat(problems(bench))
                .containsExactlyInAnyOrder(
                        "",
                        "the mount does not have the security label of its"
                                + " record; look what has mounted it, end its workloads, unmount it and mount it again");
        assertThat(published(bench)).as("nothing is mounted again").hasSize(2);

        bench.node.contexts.put(target, A.context());
        bench.done(bench.volumes.check());
        assertThat(problems(bench)).containsOnly("");
        bench.node.contexts.remove(target);
        bench.done(bench.volumes.check());
        assertThat(kinds(bench)).filteredOn(Kind.LABEL_CHANGED::equals).hasSize(2);
        bench.done(bench.unmount("v", "a"));
        mounted(bench, "a", A, true);
        bench.done(bench.volumes.check());
        assertThat(problems(bench)).containsOnly("");
    }

    private static List<Kind> kinds(Bench bench) {
        return bench.events.stream().map(NodeVolumeEvent::kind).toList();
    }

    private static List<String> problems(Bench bench) {
        return bench.volumes.volumes().stream()
                .flatMap(volume -> volume.uses().stream())
                .map(NodeVolumeStatus.Use::problem)
                .toList();
    }

    @Test
    void mountAfterARebootHasTheSameLabel() {
        Bench bench = new Bench(base, 7, true);
        assertThat(mounted(bench, "a", A, true).labelApplied()).isTrue();
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(staged(bench)).containsExactly(List.of("noatime", FLAG), List.of("noatime", FLAG));
        assertThat(published(bench)).containsExactly(List.of("noatime", FLAG), List.of("noatime", FLAG));
    }

    /** A mount that a reboot took away is not handed out without its label, and has no future that could fail. */
    @Test
    void labelThatIsDroppedAfterARebootIsUndoneAndTriedAgain() {
        Bench bench = new Bench(base, 8, true);
        mounted(bench, "a", A, true);
        bench.crash();
        bench.node.reboot();
        bench.node.dropsLabel = true;
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.volumes.volumes().get(0).lastError()).contains("is not mounted with the security label");
        assertThat(bench.volumes.volumes().get(0).uses().get(0).state()).isEqualTo(NodeVolumeStatus.State.MOUNTING);
        bench.node.dropsLabel = false;
        assertThat(mounted(bench, "a", A, true).labelApplied()).isTrue();
        assertThat(bench.node.violations).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void profileIsFrozenUntilTheVolumeIsUnmounted(boolean stages, boolean first) {
        Bench bench = new Bench(base, 9, stages);
        List<String> sent = first ? List.of("noatime", FLAG) : List.of("noatime");
        List<String> after = first ? List.of("noatime") : List.of("noatime", FLAG);
        assertThat(mounted(bench, "a", A, first).labelApplied()).isEqualTo(first);
        assertThat(mounted(bench, "b", A, !first).labelApplied()).isEqualTo(first);
        bench.restart();
        assertThat(mounted(bench, "c", A, !first).labelApplied()).isEqualTo(first);
        assertThat(published(bench)).hasSize(3).containsOnly(sent);
        for (String allocation : List.of("a", "b", "c")) {
            bench.done(bench.unmount("v", allocation));
        }
        assertThat(mounted(bench, "d", A, !first).labelApplied()).isEqualTo(!first);
        assertThat(published(bench)).hasSize(4).last().isEqualTo(after);
        assertThat(bench.node.violations).isEmpty();
    }

    /** Both are requested before any call, so the first call decides. */
    @Test
    void firstCallDecidesForRequestsOfDifferentProfiles() {
        Bench bench = new Bench(base, 10, true);
        bench.node.there = false;
        var one = bench.volumes.mount(request("a", A, false).build());
        var two = bench.volumes.mount(request("b", A, true).build());
        bench.time.advance(Duration.ofSeconds(1));
        bench.node.there = true;
        assertThat(bench.done(one).labelApplied()).isFalse();
        assertThat(bench.done(two).labelApplied()).isFalse();
        assertThat(published(bench)).hasSize(2).containsOnly(List.of("noatime"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherLabelOrNoneIsAConflictThatNamesNoHolder(boolean stages) {
        Bench bench = new Bench(base, 11, stages);
        mounted(bench, "a", A, true);
        for (NodeMount other : List.of(
                request("bee", B, true).build(),
                request("bee", B, false).build(),
                Bench.request("v", "bee").build())) {
            NodeVolumeException failure = refused(bench, other);
            assertThat(failure.reason()).isEqualTo(Reason.CONFLICT);
            assertThat(failure.getMessage())
                    .contains("bee", "another security label", "wait until it is unmounted")
                    .doesNotContain("allocation a", A.context(), "c1");
        }
        assertThat(published(bench)).hasSize(1);
        bench.done(bench.unmount("v", "a"));
        assertThat(mounted(bench, "bee", B, true).labelApplied()).isTrue();
    }

    @Test
    void labelMeetsAMountWithoutOne() {
        Bench bench = new Bench(base, 12, false);
        bench.done(bench.mount("v", "a"));
        assertThat(refused(bench, request("b", A, true).build()).reason()).isEqualTo(Reason.CONFLICT);
    }

    /** Each mount of the allocation has the label, also with flags of its own. */
    @Test
    void flagThatSetsAContextIsRefusedBeforeAnyCall() {
        Bench bench = new Bench(base, 13, true);
        NodeVolumeException failure = refused(
                bench,
                request("a", A, true)
                        .targetFlags(MountFlags.of("nosuid", "context=u:r:t:s0"))
                        .build());
        assertThat(failure.reason()).isEqualTo(Reason.UNSUPPORTED);
        assertThat(failure).hasMessageContaining("leave one of them out");
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.node.publishRequests).isEmpty();
        assertThat(bench.done(bench.volumes.mount(request("b", A, true)
                                .targetFlags(MountFlags.of("nosuid"))
                                .build()))
                        .labelApplied())
                .isTrue();
        assertThat(published(bench)).containsExactly(List.of("nosuid", FLAG));
        assertThat(staged(bench)).containsExactly(List.of("noatime", FLAG));
    }
}
