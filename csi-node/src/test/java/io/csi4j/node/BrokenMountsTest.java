package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.PathProbe.Finding;
import io.csi4j.node.internal.mount.StatProbe;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mounts that fail in the kernel: a FUSE file system whose process has ended (ENOTCONN), one with a stale file handle (ESTALE), and one
 * that never answers. Needs root and FUSE; skipped elsewhere.
 */
class BrokenMountsTest {
    private static final String MOUNT =
            "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 x \"$1\" && echo mounted;";

    @TempDir
    Path directory;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final ExecutorService plugin = Executors.newFixedThreadPool(4);
    private final List<NodeVolumeEvent> events = new CopyOnWriteArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private NodeVolumes volumes;

    @BeforeEach
    void assumeFuse() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs FUSE");
        Path probe = Files.createDirectory(directory.resolve("probe"));
        assumeTrue(bash(MOUNT, probe) != null, "needs FUSE");
        umount(probe);
        volumes = NodeVolumes.builder(
                        directory.resolve("agent"),
                        id -> Optional.of(NodePlugin.of(
                                RealMountsTest.service(plugin),
                                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)))))
                .environment(
                        Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
                .options(NodeVolumeOptions.builder()
                        .mountLimit(Duration.ofMinutes(2))
                        .unmountLimit(Duration.ofMinutes(2))
                        .firstRetry(Duration.ofMillis(20))
                        .longestRetry(Duration.ofMillis(200))
                        .probeLimit(Duration.ofSeconds(1))
                        .brokenMounts(BrokenMounts.REPAIR)
                        .build())
                .checkEvery(Duration.ZERO)
                .listener(events::add)
                .build();
        volumes.start().join();
    }

    @AfterEach
    void close() throws Exception {
        processes.forEach(Process::destroyForcibly);
        if (volumes != null) {
            volumes.stop().join();
            for (Path left : MountTable.ofLinux().read().within(directory.toRealPath())) {
                umount(left);
            }
        }
        scheduler.shutdownNow();
        executor.shutdownNow();
        plugin.shutdownNow();
    }

    /** Starts a script that prints a line when it has mounted and runs until its input ends; null if it could not mount. */
    private Process bash(String script, Path target) throws IOException {
        Process process = new ProcessBuilder("bash", "-c", script, "bash", target.toString())
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return "mounted".equals(output.readLine()) ? process : null;
    }

    private static void umount(Path path) throws Exception {
        Process process = new ProcessBuilder("umount", "-l", path.toString()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private MountedVolume mount(String volume) throws Exception {
        return volumes.mount(Bench.request(volume, "a").build()).get(60, TimeUnit.SECONDS);
    }

    private void unmount(String volume) throws Exception {
        volumes.unmount(new NodeUnmount(Bench.id(volume), AllocationId.of("a"))).get(60, TimeUnit.SECONDS);
    }

    /** Replaces the mount of the volume by a broken one. */
    private Process breakIt(MountedVolume mounted, String script) throws Exception {
        umount(mounted.targetPath());
        Process process = bash(script, mounted.targetPath());
        assertThat(process).isNotNull();
        return process;
    }

    private static String errorAt(Path path) {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return "none";
        } catch (FileSystemException e) {
            return String.valueOf(e.getReason());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private long count(Kind kind) {
        return events.stream().filter(event -> event.kind() == kind).count();
    }

    private void checkUntilBrokenMountIsFound() throws Exception {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (count(Kind.MOUNT_BROKEN) == 0) {
            assertThat(System.nanoTime())
                    .as("no broken mount is found in time, %s", events)
                    .isLessThan(end);
            volumes.check().get(60, TimeUnit.SECONDS);
        }
    }

    private void isFoundAndRepaired(MountedVolume mounted) throws Exception {
        // Checks repeatedly, because on a busy machine the process of the file system may answer one check too late.
        checkUntilBrokenMountIsFound();
        // The volume is mounted again with its own file system.
        assertThat(mount("v").targetPath()).isEqualTo(mounted.targetPath());
        while (!Files.exists(mounted.targetPath().resolve("file"))) {
            Thread.onSpinWait();
        }
        assertThat(mounted.targetPath().resolve("file")).hasContent("kept");
        assertThat(count(Kind.MOUNTED)).isEqualTo(2);
        unmount("v");
        assertThat(MountTable.ofLinux().read().within(directory.toRealPath())).isEmpty();
    }

    @Test
    void volumeIsMountedAgainIfItsFileSystemProcessEnds() throws Exception {
        MountedVolume mounted = mount("v");
        Files.writeString(mounted.targetPath().resolve("file"), "kept");
        Process served = breakIt(mounted, MOUNT);
        assertThat(served.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(errorAt(mounted.targetPath())).contains("endpoint is not connected");
        isFoundAndRepaired(mounted);
    }

    @Test
    void volumeWithStaleMountIsMountedAgain() throws Exception {
        String script;
        try (var resource = BrokenMountsTest.class.getResourceAsStream("stale-mount.sh")) {
            script = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
        MountedVolume mounted = mount("v");
        Files.writeString(mounted.targetPath().resolve("file"), "kept");
        breakIt(mounted, script);
        assertThat(errorAt(mounted.targetPath())).contains("Stale");
        isFoundAndRepaired(mounted);
    }

    @Test
    void hungMountIsReportedAndDoesNotBlockOtherMounts() throws Exception {
        MountedVolume silent = mount("v");
        Files.writeString(silent.targetPath().resolve("file"), "kept");
        mount("w");
        Process served = breakIt(silent, MOUNT + " read nothing");
        volumes.check().get(60, TimeUnit.SECONDS);
        volumes.check().get(60, TimeUnit.SECONDS);
        assertThat(events).extracting(NodeVolumeEvent::kind).containsOnlyOnce(Kind.MOUNT_UNRESPONSIVE);
        assertThat(count(Kind.MOUNT_BROKEN)).isZero();
        unmount("w");
        served.getOutputStream().close();
        assertThat(served.waitFor(60, TimeUnit.SECONDS)).isTrue();
        // Waits until the hung check has returned, so that the next check is a new one.
        while (errorAt(silent.targetPath()).equals("none")) {
            Thread.onSpinWait();
        }
        checkUntilBrokenMountIsFound();
        while (!Files.exists(silent.targetPath().resolve("file"))) {
            Thread.onSpinWait();
        }
        unmount("v");
    }

    @Test
    void manyHungMountsDoNotPreventChecksOfOtherMounts() throws Exception {
        StatProbe probe = new StatProbe(Thread::new, Timer.from(scheduler), Duration.ofMillis(200));
        List<CompletableFuture<Finding>> silent = new ArrayList<>();
        List<Process> serving = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Path target = Files.createDirectory(directory.resolve("silent-" + i));
            serving.add(bash(MOUNT + " read nothing", target));
            silent.add(probe.probe(target));
        }
        assertThat(probe.probe(directory).get(60, TimeUnit.SECONDS)).isEqualTo(Finding.SOUND);
        for (CompletableFuture<Finding> each : silent) {
            assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(Finding.NO_ANSWER);
        }
        for (Process each : serving) {
            each.getOutputStream().close();
        }
    }
}
