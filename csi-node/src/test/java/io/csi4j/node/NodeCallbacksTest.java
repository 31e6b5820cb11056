package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Callbacks of futures may block, and may wait for other futures. A mount whose futures were all cancelled before it was reported is
 * undone.
 */
class NodeCallbacksTest {
    private static final NodeVolumeQuery QUERY = new NodeVolumeQuery(
            Bench.id("v").volume(), Bench.id("v").pluginId(), Bench.id("v").externalVolumeId(), AllocationId.of("a"));

    @TempDir
    Path base;

    private Bench bench;
    private CompletableFuture<?> reported = CompletableFuture.completedFuture(null);
    private final List<String> observed = new ArrayList<>();

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    /** Checks that the callbacks have not failed. */
    @AfterEach
    void allWasDone() {
        assertThat(reported).isCompleted();
    }

    private void calls(Rpc rpc, Fate fate) {
        bench.node.fates = called -> called == rpc ? fate : Fate.OK;
    }

    private List<String> left() throws IOException {
        List<String> files = new ArrayList<>();
        for (String directory : List.of("staging", "publish", "ledger/ns")) {
            Path root = base.resolve(directory);
            if (Files.isDirectory(root)) {
                try (Stream<Path> found = Files.list(root)) {
                    found.map(Path::toString).forEach(files::add);
                }
            }
        }
        return files;
    }

    @Test
    void mountCallbackCanWaitForAnotherMountOfSameVolume() throws IOException {
        reported = bench.mount("v", "a").thenRun(() -> {
            bench.done(bench.mount("v", "b"));
            observed.add("b");
            bench.done(bench.volumes.stats(QUERY));
            bench.done(bench.unmount("v", "a"));
            bench.done(bench.unmount("v", "b"));
            observed.add("none");
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(observed).containsExactly("b", "none");
        assertThat(left()).isEmpty();
    }

    @Test
    void unmountCallbackCanWaitForNextMount() throws IOException {
        bench.done(bench.mount("v", "a"));
        reported = bench.unmount("v", "a").thenRun(() -> {
            bench.done(bench.mount("v", "b"));
            bench.done(bench.unmount("v", "b"));
            observed.add("none");
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(observed).containsExactly("none");
        assertThat(left()).isEmpty();
    }

    @Test
    void queryCallbackCanWaitForNextQuery() {
        bench.volumes.stats(QUERY).exceptionally(none -> {
            bench.done(bench.mount("v", "a"));
            observed.add("mounted");
            return null;
        });
        bench.time.advance(Duration.ofMinutes(1));
        reported = bench.volumes.stats(QUERY).thenRun(() -> {
            bench.done(bench.volumes.stats(QUERY));
            bench.done(bench.unmount("v", "a"));
            observed.add("none");
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(observed).containsExactly("mounted", "none");
    }

    @Test
    void failedMountCallbackCanWaitForNextMount() {
        calls(Rpc.NODE_PUBLISH_VOLUME, Fate.REFUSED);
        bench.mount("v", "a").exceptionally(refused -> {
            calls(Rpc.NODE_PUBLISH_VOLUME, Fate.OK);
            bench.done(bench.mount("v", "a"));
            observed.add("refused");
            return null;
        });
        bench.time.advance(Duration.ofMinutes(1));
        bench.volumes
                .mount(Bench.request("v", "b")
                        .mountOptions(MountOptions.of("xfs"))
                        .build())
                .exceptionally(conflict -> {
                    bench.done(bench.unmount("v", "a"));
                    observed.add("conflict");
                    return null;
                });
        bench.time.advance(Duration.ofMinutes(1));
        calls(Rpc.NODE_STAGE_VOLUME, Fate.UNAVAILABLE);
        bench.mount("v", "a").exceptionally(late -> {
            calls(Rpc.NODE_STAGE_VOLUME, Fate.OK);
            bench.done(bench.mount("v", "a"));
            observed.add("late");
            return null;
        });
        bench.time.advance(Duration.ofMinutes(30));
        assertThat(observed).containsExactly("refused", "conflict", "late");
    }

    /** The failure of a start is reported to each early request, even if the callback of another request blocks. */
    @Test
    void mountCallbackAfterFailedStartDoesNotDelayFailureOfOtherRequests() throws IOException {
        bench.crash();
        Files.createDirectories(base.resolve("ledger/ns"));
        Path record = base.resolve("ledger/ns/v.rec");
        Files.deleteIfExists(record);
        // Reading this file fails with an input/output error.
        Files.createSymbolicLink(record, Path.of("/proc/self/mem"));
        NodeVolumes volumes = bench.another().build();
        CompletableFuture<Void> start = volumes.start();
        CompletableFuture<MountedVolume> first =
                volumes.mount(Bench.request("v", "a").build());
        CompletableFuture<MountedVolume> second =
                volumes.mount(Bench.request("w", "a").build());
        reported = first.handle((mounted, error) -> {
            bench.time.advance(Duration.ofMinutes(1));
            observed.add("second " + second.isCompletedExceptionally() + ", start " + start.isCompletedExceptionally());
            return null;
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(first).isCompletedExceptionally();
        assertThat(observed).containsExactly("second true, start true");
    }

    /** Cancels the future after the mount and before its completion. */
    private void cancelledWhenMounted(CompletableFuture<?> mount) {
        bench.checkpoint = () -> {
            // The first write after NodePublishVolume stores its result.
            if (bench.node.log.contains("NodePublishVolume a OK")) {
                mount.cancel(false);
            }
        };
    }

    @Test
    void mountCancelledBeforeItsCompletionIsUndone() throws IOException {
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        cancelledWhenMounted(mount);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(mount).isCancelled();
        assertThat(bench.node.log).contains("NodePublishVolume a OK", "NodeUnpublishVolume a OK");
        assertThat(bench.volumes.volumes()).isEmpty();
        assertThat(left()).isEmpty();
    }

    @Test
    void mountIsNotUndoneIfAnotherFutureWaitsForIt() {
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        CompletableFuture<MountedVolume> same = bench.mount("v", "a");
        cancelledWhenMounted(mount);
        bench.done(same);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.log).noneMatch(call -> call.startsWith("NodeUnpublishVolume"));
        assertThat(bench.volumes.volumes()).hasSize(1);
    }

    /** Only the cancelled request ends, and not the later one. */
    @Test
    void mountIsNotUndoneIfRequestedAgainAfterCancellation() {
        List<CompletableFuture<MountedVolume>> again = new ArrayList<>();
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.checkpoint = () -> {
            if (bench.node.log.contains("NodePublishVolume a OK") && again.isEmpty()) {
                mount.cancel(false);
                again.add(bench.mount("v", "a"));
            }
        };
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(again)
                .singleElement()
                .satisfies(request -> assertThat(request).isCompleted());
        assertThat(bench.node.log).noneMatch(call -> call.startsWith("NodeUnpublishVolume"));
        assertThat(bench.volumes.volumes()).hasSize(1);
    }

    @Test
    void unmountCompletesBeforeDirectoriesAreRemoved() throws IOException {
        bench.done(bench.mount("v", "a"));
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        reported = unmount.thenRun(() -> {
            assertThat(bench.volumes.volumes()).isEmpty();
            assertThat(bench.volumes.status(VolumeKey.of("ns", "v"))).isEmpty();
            bench.crash();
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(unmount).isCompleted();
        assertThat(base.resolve("staging/ns/v")).isDirectory();
        int calls = bench.node.log.size();
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(left()).as("%s", bench.events).isEmpty();
        assertThat(bench.node.log).hasSize(calls);
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).doesNotContain(NodeVolumeEvent.Kind.ORPHAN_FOUND);
    }

    @Test
    void stopCalledInUnmountCallbackRemovesDirectoriesBeforeStopCompletes() throws IOException {
        bench.done(bench.mount("v", "a"));
        List<CompletableFuture<Void>> stop = new ArrayList<>();
        reported = bench.unmount("v", "a").thenRun(() -> stop.add(bench.volumes.stop()));
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(stop).singleElement().satisfies(end -> assertThat(end).isCompleted());
        assertThat(left()).isEmpty();
    }

    /** The removal of a file may be lost in a crash of the machine. */
    @Test
    void recordThatReappearsAfterUnmountAndCrashIsRemovedWithoutPluginCall() throws IOException {
        bench.done(bench.mount("v", "a"));
        Path record = base.resolve("ledger/ns/v.rec");
        byte[][] last = new byte[1][];
        reported = bench.unmount("v", "a").thenRun(() -> last[0] = read(record));
        bench.time.advance(Duration.ofMinutes(1));
        bench.crash();
        assertThat(left()).isEmpty();
        Files.createDirectories(record.getParent());
        Files.write(record, last[0]);
        int calls = bench.node.log.size();
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(left()).isEmpty();
        assertThat(bench.node.log).hasSize(calls);
    }

    /** Callbacks that are due at the same time do not block each other. */
    @Test
    void callbackCanWaitForAnotherConcurrentCallback() {
        CompletableFuture<MountedVolume> same = new CompletableFuture<>();
        reported = bench.mount("v", "a").thenRun(() -> {
            bench.done(same);
            observed.add("mounted");
        });
        CompletableFuture<?> passed = bench.mount("v", "a").thenAccept(same::complete);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(passed).isCompleted();
        calls(Rpc.NODE_STAGE_VOLUME, Fate.REFUSED);
        CompletableFuture<MountedVolume> first = bench.mount("w", "a");
        CompletableFuture<MountedVolume> second = bench.mount("w", "b");
        first.exceptionally(refused -> {
            bench.failed(second);
            observed.add("second");
            return null;
        });
        second.exceptionally(refused -> {
            bench.failed(first);
            observed.add("first");
            return null;
        });
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(observed).containsExactlyInAnyOrder("mounted", "first", "second");
        CompletableFuture<Void> gone = bench.unmount("v", "a");
        CompletableFuture<Void> goneToo = bench.unmount("v", "a");
        reported = gone.thenRun(() -> bench.done(goneToo));
        CompletableFuture<?> other = goneToo.thenRun(() -> bench.done(gone));
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(other).isCompleted();
    }

    @Test
    void callbackDuringStopCanWaitForStop() {
        calls(Rpc.NODE_STAGE_VOLUME, Fate.UNAVAILABLE);
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        mount.exceptionally(closed -> {
            bench.done(bench.volumes.stop());
            observed.add("stopped");
            return null;
        });
        CompletableFuture<Void> stop = bench.volumes.stop();
        reported = stop.thenRun(() -> bench.failed(mount));
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(observed).containsExactly("stopped");
    }

    /** A callback of the start may wait for the work that follows the start. */
    @Test
    void blockedStartCallbackDoesNotBlockVolumes() {
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.node.reboot();
        bench.checkPeriod = Duration.ofMinutes(1);
        bench.open(start -> reported = start.thenRun(() -> {
            bench.time.advance(Duration.ofSeconds(10));
            observed.add(bench.volumes.volumes().get(0).uses().get(0).state().name());
        }));
        assertThat(observed).containsExactly("MOUNTED");
    }

    @Test
    void mountCancelledBeforeItsTaskRunsIsNeverStarted() throws IOException {
        bench.mount("v", "a").cancel(false);
        bench.done(bench.volumes.stop());
        assertThat(bench.node.log).isEmpty();
        assertThat(left()).isEmpty();
    }

    @Test
    void mountWithAllFuturesCancelledIsUndone() throws IOException {
        List<CompletableFuture<MountedVolume>> again = new ArrayList<>();
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.checkpoint = () -> {
            if (bench.node.log.contains("NodePublishVolume a OK") && again.isEmpty()) {
                mount.cancel(false);
                CompletableFuture<MountedVolume> same = bench.mount("v", "a");
                again.add(same);
                same.cancel(false);
            }
        };
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(again).hasSize(1);
        assertThat(bench.volumes.volumes()).isEmpty();
        assertThat(left()).isEmpty();
    }

    /** The host reads the list of volumes as soon as the start has completed. */
    @Test
    void unmountedVolumeIsNotListedAfterRestartEvenIfRecordReappears() {
        bench.done(bench.mount("v", "a"));
        reported = bench.unmount("v", "a").thenRun(bench::crash);
        bench.time.advance(Duration.ofMinutes(1));
        bench.open(start -> reported = start.thenRun(() -> {
            bench.volumes.volumes().forEach(displayed -> observed.add(displayed.toString()));
            bench.volumes.status(VolumeKey.of("ns", "v")).ifPresent(displayed -> observed.add(displayed.toString()));
        }));
        assertThat(observed).isEmpty();
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
