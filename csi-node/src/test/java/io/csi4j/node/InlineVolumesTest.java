package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Inline volumes: the plugin makes their content at NodePublishVolume, with or without a mount, and keeps it until
 * NodeUnpublishVolume, also over a reboot. So the ledger alone says what is owed.
 */
class InlineVolumesTest {
    private static final AllocationId ALLOCATION = AllocationId.of("a");

    @TempDir
    private Path base;

    private Bench open(Path directory, boolean stages, boolean mounts) {
        Bench bench = new Bench(directory, 3, stages);
        bench.node.inline = true;
        bench.node.mountsNothing = !mounts;
        return bench;
    }

    private static CompletableFuture<MountedVolume> mount(Bench bench) {
        return bench.volumes.mount(NodeMount.builder(Bench.id("v"), ALLOCATION, Bench.MANY)
                .volumeContext(VolumeContext.of(Map.of("subject", "web")))
                .inline(true)
                .build());
    }

    private static void reboot(Bench bench) {
        bench.crash();
        bench.node.reboot();
    }

    private static List<String> calls(Bench bench) {
        return List.copyOf(bench.node.log);
    }

    /** Checks that nothing is left, at the plugin and in the ledger. */
    private static void nothingIsLeft(Bench bench) {
        bench.time.advance(Duration.ofHours(2));
        assertThat(bench.node.contents).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        assertThat(bench.node.violations).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void volumeIsPublishedWithItsAttributesAndNeverStaged(boolean stages, boolean mounts) {
        Bench bench = open(base, stages, mounts);
        bench.done(mount(bench));
        assertThat(bench.node.publishRequests).singleElement().satisfies(request -> {
            assertThat(request.volumeContext().asMap()).isEqualTo(Map.of("subject", "web"));
            assertThat(request.stagingTargetPath()).isEmpty();
        });
        bench.done(bench.unmount("v", "a"));
        assertThat(calls(bench)).containsExactly("NodePublishVolume a OK", "NodeUnpublishVolume a OK");
        nothingIsLeft(bench);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void restartedAgentKeepsThePublicationOfARunningWorkload(boolean mounts) {
        Bench bench = open(base, false, mounts);
        bench.done(mount(bench));
        bench.restart();
        bench.done(mount(bench));
        bench.time.advance(Duration.ofHours(1));
        assertThat(calls(bench)).containsExactly("NodePublishVolume a OK");
        assertThat(bench.node.contents).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void volumeIsUnpublishedAfterARebootAlthoughNothingIsMounted(boolean mounts) {
        Bench bench = open(base, false, mounts);
        bench.done(mount(bench));
        reboot(bench);
        bench.runs = allocation -> false;
        bench.open();
        nothingIsLeft(bench);
        assertThat(calls(bench)).containsExactly("NodePublishVolume a OK", "NodeUnpublishVolume a OK");
    }

    @Test
    void volumeIsUnpublishedAfterARebootHoweverLateItsPluginComes() {
        Bench bench = open(base, false, true);
        bench.done(mount(bench));
        bench.node.there = false;
        CompletableFuture<Void> unmounted = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        reboot(bench);
        bench.open();
        bench.time.advance(Duration.ofDays(3));
        assertThat(bench.volumes.volumes()).as("the record of what is owed").hasSize(1);
        assertThat(bench.node.contents).hasSize(1);
        bench.node.there = true;
        nothingIsLeft(bench);
        assertThat(unmounted).as("the request of the process that crashed").isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forgottenVolumeIsUnpublished(boolean tableFails) {
        Bench bench = open(base, false, false);
        bench.done(mount(bench));
        bench.node.tableFails = tableFails;
        bench.node.notFound = true;
        bench.node.contents.clear();
        bench.done(bench.unmount("v", "a"));
        bench.node.tableFails = false;
        nothingIsLeft(bench);
    }

    @Test
    void unansweredPublishCountsAsPublished() {
        Bench bench = open(base, false, false);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.LOST_ANSWER : Fate.OK;
        CompletableFuture<MountedVolume> unused = mount(bench);
        bench.time.advance(Duration.ofMillis(20));
        assertThat(bench.node.contents).hasSize(1);
        bench.done(bench.unmount("v", "a"));
        assertThat(calls(bench)).contains("NodeUnpublishVolume a OK");
        nothingIsLeft(bench);
    }

    /** The workload of a volume that takes space can only be placed elsewhere. */
    @Test
    void fullNodeFailsTheMountAndIsAskedToUnpublish() {
        Bench bench = open(base, false, true);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.FULL : Fate.OK;
        CompletableFuture<MountedVolume> mount = mount(bench);
        bench.time.advance(Duration.ofMillis(20));
        assertThat(mount).isCompletedExceptionally();
        assertThatThrownBy(mount::join)
                .cause()
                .isInstanceOfSatisfying(
                        CsiCallException.class,
                        full -> assertThat(full.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        bench.done(bench.unmount("v", "a"));
        assertThat(calls(bench)).endsWith("NodeUnpublishVolume a OK");
        nothingIsLeft(bench);
    }

    @Test
    void publishThatTakesEffectLateIsUndone() {
        Bench bench = open(base, false, true);
        boolean[] first = {true};
        bench.node.fates = rpc -> {
            boolean late = rpc == Rpc.NODE_PUBLISH_VOLUME && first[0];
            first[0] &= !late;
            return late ? Fate.LATE : Fate.OK;
        };
        CompletableFuture<MountedVolume> unused = mount(bench);
        bench.time.advance(Duration.ofMillis(20));
        bench.done(bench.unmount("v", "a"));
        nothingIsLeft(bench);
    }

    /** The process ends at each write of the ledger in turn, with and without an answer, a reboot and mounts. */
    @ParameterizedTest
    @CsvSource({
        "OK,false,true", "OK,false,false", "OK,true,true", "OK,true,false",
        "LOST_ANSWER,false,true", "LOST_ANSWER,false,false", "LOST_ANSWER,true,true", "LOST_ANSWER,true,false"
    })
    void crashAtAnyWriteLeavesNothingBehind(Fate first, boolean reboots, boolean mounts) throws IOException {
        List<Integer> reached = new ArrayList<>();
        for (int crashAt = 1; crashAt <= 12; crashAt++) {
            Bench bench = open(java.nio.file.Files.createDirectory(base.resolve("at-" + crashAt)), false, mounts);
            boolean[] lost = {first == Fate.LOST_ANSWER, first == Fate.LOST_ANSWER};
            bench.node.fates = rpc -> {
                int call = rpc == Rpc.NODE_PUBLISH_VOLUME ? 0 : 1;
                boolean now = lost[call];
                lost[call] = false;
                return now ? Fate.LOST_ANSWER : Fate.OK;
            };
            int last = crashAt;
            int[] writes = {0};
            bench.checkpoint = () -> {
                writes[0]++;
                if (writes[0] >= last) {
                    throw new IOException("the process has ended");
                }
            };
            CompletableFuture<MountedVolume> mounted = mount(bench);
            bench.time.advance(Duration.ofSeconds(2));
            CompletableFuture<Void> unmounted = bench.unmount("v", "a");
            bench.time.advance(Duration.ofSeconds(2));
            if (writes[0] < last) {
                assertThat(mounted).isDone();
                assertThat(unmounted).isDone();
            } else {
                reached.add(crashAt);
            }
            if (reboots) {
                reboot(bench);
            } else {
                bench.crash();
            }
            bench.checkpoint = () -> {};
            bench.runs = allocation -> false;
            bench.open();
            nothingIsLeft(bench);
        }
        assertThat(reached).as("writes at which the process ended").hasSizeGreaterThanOrEqualTo(6);
    }
}
