package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.FileLedgerTest;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.StatProbe;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real mounts of the kernel, real files, real threads. Needs root on Linux; skipped elsewhere. */
public class RealMountsTest {
    @TempDir
    Path directory;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final ExecutorService plugin = Executors.newFixedThreadPool(4);
    private final List<NodeVolumeEvent> events = new CopyOnWriteArrayList<>();
    private Path base;
    private NodeVolumes volumes;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(canMount(directory), "needs the right to mount");
        base = directory.resolve("agent");
        start();
    }

    /** Returns whether this machine lets this process mount. */
    public static boolean canMount(Path directory) throws IOException {
        if (!"root".equals(System.getProperty("user.name"))) {
            return false;
        }
        Path probe = Files.createDirectories(directory.resolve("probe"));
        try {
            run("mount", "-t", "tmpfs", "tmpfs", probe.toString());
        } catch (UncheckedIOException e) {
            return false;
        }
        run("umount", probe.toString());
        Files.delete(probe);
        return true;
    }

    private void start() {
        volumes = NodeVolumes.builder(
                        base,
                        id -> java.util.Optional.of(NodePlugin.of(
                                service(plugin),
                                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)))))
                .environment(Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom()))
                .listener(events::add)
                .build();
        volumes.start().join();
    }

    @AfterEach
    void close() throws IOException {
        if (volumes != null) {
            volumes.stop().join();
            for (Path left : new ArrayList<>(MountTable.ofLinux().read().within(directory.toRealPath()))) {
                run("umount", "-l", left.toString());
            }
        }
        scheduler.shutdownNow();
        executor.shutdownNow();
        plugin.shutdownNow();
    }

    public static void run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new UncheckedIOException(new IOException(String.join(" ", command) + ": " + output));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a plugin that stages tmpfs file systems and publishes bind mounts. */
    static NodeService service(ExecutorService threads) {
        return (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(),
                new Class<?>[] {NodeService.class},
                (proxy, method, arguments) -> CompletableFuture.supplyAsync(() -> answer(arguments[0]), threads));
    }

    private static Object answer(Object request) {
        try {
            if (request instanceof NodeStageVolumeRequest stage) {
                if (!mounted(stage.stagingTargetPath())) {
                    run("mount", "-t", "tmpfs", "tmpfs", stage.stagingTargetPath());
                }
                return null;
            }
            if (request instanceof NodeUnstageVolumeRequest unstage) {
                if (mounted(unstage.stagingTargetPath())) {
                    run("umount", unstage.stagingTargetPath());
                }
                return null;
            }
            if (request instanceof NodePublishVolumeRequest publish) {
                Files.createDirectories(Path.of(publish.targetPath()));
                if (!mounted(publish.targetPath())) {
                    run("mount", "--bind", publish.stagingTargetPath().orElseThrow(), publish.targetPath());
                    String flags = String.join(
                            ",",
                            publish.volumeCapability()
                                    .mountVolume()
                                    .orElseThrow()
                                    .mountFlags()
                                    .asList());
                    String mode = publish.readonly() ? "ro" : "rw";
                    run("mount", "-o", "remount,bind," + mode + "," + flags, publish.targetPath());
                }
                return null;
            }
            if (request instanceof NodeUnpublishVolumeRequest unpublish) {
                if (mounted(unpublish.targetPath())) {
                    run("umount", unpublish.targetPath());
                }
                Files.deleteIfExists(Path.of(unpublish.targetPath()));
                return null;
            }
            throw new AssertionError(request);
        } catch (IOException | UncheckedIOException e) {
            throw ScriptedNode.failure(Rpc.NODE_PUBLISH_VOLUME, StatusCode.INTERNAL);
        }
    }

    private static boolean mounted(String path) throws IOException {
        return MountTable.ofLinux().read().contains(Path.of(path));
    }

    private MountedVolume mount(String volume, String allocation) throws Exception {
        return volumes.mount(Bench.request(volume, allocation).build()).get(60, TimeUnit.SECONDS);
    }

    private void unmount(String volume, String allocation) throws Exception {
        volumes.unmount(new NodeUnmount(Bench.id(volume), AllocationId.of(allocation)))
                .get(60, TimeUnit.SECONDS);
    }

    private void restart() {
        volumes.stop().join();
        start();
    }

    @Test
    void twoAllocationsSeeSameFilesUntilLastUnmount() throws Exception {
        MountedVolume a = mount("v", "a b/../\u00e9");
        MountedVolume b = mount("v", "b");
        Files.writeString(a.targetPath().resolve("file"), "shared");
        assertThat(b.targetPath().resolve("file")).hasContent("shared");
        unmount("v", "a b/../\u00e9");
        assertThat(b.targetPath().resolve("file")).hasContent("shared");
        unmount("v", "b");
        assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
        // The directories are removed after the unmount and before the stop completes.
        volumes.stop().join();
        for (String left : List.of("staging", "publish")) {
            try (Stream<Path> files = Files.list(base.resolve(left))) {
                assertThat(files).isEmpty();
            }
        }
    }

    @Test
    void mountsOfAllocationDifferInModeAndFlagsAndShowSameFiles() throws Exception {
        NodeMount.Builder request = Bench.request("v", "a");
        Path written = volumes.mount(request.build()).get(60, TimeUnit.SECONDS).targetPath();
        Path read = volumes.mount(request.number(1)
                        .readonly(true)
                        .targetFlags(MountFlags.of("noexec", "nosuid"))
                        .build())
                .get(60, TimeUnit.SECONDS)
                .targetPath();
        Files.writeString(written.resolve("file"), "shared");
        assertThat(read.resolve("file")).hasContent("shared");
        assertThatThrownBy(() -> Files.writeString(read.resolve("file"), "changed"))
                .hasMessageContaining("Read-only file system");
        assertThat(Files.readAllLines(Path.of("/proc/self/mounts")))
                .filteredOn(line -> line.contains(read.toString()))
                .singleElement()
                .asString()
                .contains("ro,")
                .contains("nosuid")
                .contains("noexec");
        restart();
        unmount("v", "a");
        assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
    }

    @Test
    void filesGetTheVolumeMountGroupBeforeTheMountIsReported() throws Exception {
        Path target = volumes.mount(NodeMount.builder(Bench.id("v"), AllocationId.of("a"), Bench.MANY)
                        .mountOptions(new MountOptions("", MountFlags.empty(), "54321"))
                        .build())
                .get(60, TimeUnit.SECONDS)
                .targetPath();
        Path file = Files.createFile(target.resolve("file"));
        for (Path path : List.of(target, file)) {
            assertThat(Files.getAttribute(path, "unix:gid")).as("%s", path).isEqualTo(54321);
        }
        assertThat((int) Files.getAttribute(target, "unix:mode") & 02070).isEqualTo(02070);
        assertThat(events.stream().map(NodeVolumeEvent::kind).toList())
                .containsExactly(NodeVolumeEvent.Kind.OWNERSHIP_CHANGE, NodeVolumeEvent.Kind.MOUNTED);
    }

    @Test
    void mountsSurviveRestartAndManuallyUnmountedTargetIsMountedAgain() throws Exception {
        MountedVolume a = mount("v", "a");
        MountedVolume b = mount("v", "b");
        Files.writeString(a.targetPath().resolve("file"), "kept");
        volumes.stop().join();
        run("umount", b.targetPath().toString());
        start();
        assertThat(mount("v", "a").targetPath().resolve("file")).hasContent("kept");
        assertThat(mount("v", "b").targetPath().resolve("file")).hasContent("kept");
        assertThat(events).extracting(NodeVolumeEvent::kind).contains(NodeVolumeEvent.Kind.MOUNT_MISSING);
        unmount("v", "a");
        unmount("v", "b");
    }

    @Test
    void mountsOfOtherAllocationsAreKeptIfRecordIsLost() throws Exception {
        MountedVolume a = mount("v", "a");
        mount("v", "b");
        volumes.stop().join();
        Files.write(base.resolve("ledger/ns/v.rec"), new byte[] {9});
        start();
        unmount("v", "b");
        assertThat(mounted(a.targetPath().toRealPath().toString())).isTrue();
        restart();
        assertThat(mounted(a.targetPath().toRealPath().toString())).isTrue();
        unmount("v", "a");
        assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
    }

    @Test
    void noMountsOrFilesRemainAfterManyConcurrentUses() throws Exception {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String volume = "v" + i % 6;
            String allocation = "a" + i;
            all.add(volumes.mount(Bench.request(volume, allocation).build())
                    .thenCompose(mounted ->
                            volumes.unmount(new NodeUnmount(Bench.id(volume), AllocationId.of(allocation)))));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get(120, TimeUnit.SECONDS);
        assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
        assertThat(volumes.volumes()).allMatch(status -> status.uses().isEmpty() && !status.staged());
    }

    @Test
    void noMountsOrFilesRemainIfProcessIsKilledAtAnyWrite() throws Exception {
        volumes.stop().join();
        int ended = 0;
        int checkpoint = 1;
        for (boolean through = false; !through; checkpoint++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledProcess.class.getName(),
                            base.toString(),
                            String.valueOf(checkpoint))
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("output").toFile())
                    .start();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            String output = Files.readString(directory.resolve("output"));
            assertThat(process.exitValue()).as(output).isIn(0, KilledProcess.ENDED_AT_CHECKPOINT);
            through = process.exitValue() == 0;
            ended += through ? 0 : 1;
        }
        assertThat(ended).isGreaterThan(8);
        start();
        unmount("v", "a");
        unmount("v", "b");
        assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
        volumes.stop().join();
        for (String left : List.of("staging", "publish")) {
            try (Stream<Path> files = Files.list(base.resolve(left))) {
                assertThat(files).isEmpty();
            }
        }
    }

    @Test
    void earlierRecordIsKeptIfDiskIsFull() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk.toString());
        Path filling = disk.resolve("filling");
        VolumeEntry last = FileLedgerTest.entry("v", "a");
        VolumeEntry next = FileLedgerTest.entry("v", "b");
        VolumeEntry another = FileLedgerTest.entry("w", "a");
        try (FileLedger ledger = FileLedger.open(disk, true)) {
            ledger.save(last);
            fill(filling);
            for (VolumeEntry tooMuch : List.of(next, another)) {
                assertThatThrownBy(() -> ledger.save(tooMuch)).isInstanceOf(IOException.class);
                assertThat(ledger.load().entries()).containsExactly(last);
                assertThat(ledger.load().setAside()).isEmpty();
            }
            Files.delete(filling);
            ledger.save(another);
            assertThat(ledger.load().entries()).containsExactlyInAnyOrder(last, another);
            ledger.remove(another.key());
            ledger.save(next);
            assertThat(ledger.load().entries()).containsExactly(next);
        }
    }

    private static void fill(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(new byte[1024]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space");
        }
    }

    @Test
    void probeRecognizesHealthyMount() throws Exception {
        MountedVolume a = mount("v", "a");
        StatProbe probe = new StatProbe(Thread::new, Timer.from(scheduler), java.time.Duration.ofSeconds(20));
        assertThat(probe.probe(a.targetPath()).get(20, TimeUnit.SECONDS)).isEqualTo(PathProbe.Finding.SOUND);
        unmount("v", "a");
    }
}
