package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.mount.UmountProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs real processes, and real mounts where this machine permits them. */
class UmountProcessTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(4);

    @AfterEach
    void close() throws IOException {
        scheduler.shutdownNow();
        executor.shutdownNow();
        if (Files.isReadable(Path.of("/proc/self/mountinfo"))) {
            List<Path> left = new ArrayList<>(MountTable.ofLinux().read().within(directory.toRealPath()));
            Collections.reverse(left);
            left.forEach(path -> RealMountsTest.run("umount", "-l", path.toString()));
        }
    }

    private UmountProcess process(String program, Duration limit) {
        return new UmountProcess(program, Timer.from(scheduler), limit);
    }

    private String script(String... lines) throws IOException {
        Path file = directory.resolve("program");
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return file.toString();
    }

    private Path tmpfs(String name) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path path = Files.createDirectory(directory.toRealPath().resolve(name));
        try {
            RealMountsTest.run("mount", "-t", "tmpfs", "tmpfs", path.toString());
        } catch (UncheckedIOException e) {
            assumeTrue(false, "needs the right to mount");
        }
        return path;
    }

    private static boolean mounted(Path path) throws IOException {
        return MountTable.ofLinux().read().contains(path);
    }

    private static String problem(CompletableFuture<Void> future) {
        try {
            future.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(IOException.class);
            return e.getCause().getMessage();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("the unmount did not fail");
    }

    @Test
    void pathIsPassedAsOneArgumentAfterOptions() throws Exception {
        Path arguments = directory.resolve("arguments");
        String program = script("printf '<%s>' \"$@\" > " + arguments);
        process(program, LONG).unmount(Path.of("/a b;c $d")).get(60, TimeUnit.SECONDS);
        assertThat(arguments)
                .hasContent("<--no-canonicalize><--internal-only><--><" + StrictPaths.of(Path.of("/a b;c $d")) + ">");
    }

    @Test
    void relativePathIsRefused() {
        assertThatThrownBy(() -> process("umount", LONG).unmount(Path.of("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("target is 'a', which is not absolute");
    }

    @Test
    void failureContainsExitCodeAndBeginningOfOutputOnOneLine() throws Exception {
        String program = script("printf 'first\\nsecond\\033[1m'", "head -c 1000000 /dev/zero | tr '\\0' x", "exit 32");
        String problem = problem(process(program, LONG).unmount(Path.of("/t")));
        assertThat(problem)
                .startsWith("umount of /t failed: exit 32: first\\nsecond\\u001B[1mxxx")
                .endsWith("x... (cut)")
                .hasSizeLessThan(700);
    }

    @Test
    void unmountFailsIfProgramIsMissing() {
        String problem = problem(process("/no/such/umount", LONG).unmount(Path.of("/t")));
        assertThat(problem).startsWith("umount of /t failed: the program could not be run");
    }

    @Test
    void processThatDoesNotEndInTimeIsKilledWithItsChildren() throws Exception {
        Path child = directory.resolve("child");
        String program = script("sleep 600 &", "echo $! > " + child, "wait");
        String problem = problem(process(program, Duration.ofSeconds(2)).unmount(Path.of("/t")));
        assertThat(problem).contains("it was killed, since it did not end within 2 s");
        long pid = Long.parseLong(Files.readString(child).strip());
        ProcessHandle.of(pid)
                .ifPresent(handle ->
                        handle.onExit().orTimeout(60, TimeUnit.SECONDS).join());
    }

    @Test
    void realMountIsUnmounted() throws Exception {
        Path path = tmpfs("a b");
        process("umount", LONG).unmount(path).get(60, TimeUnit.SECONDS);
        assertThat(mounted(path)).isFalse();
    }

    /** The mount table showed the mount, then the plugin unmounts it and puts a link there. */
    @Test
    void foreignMountStaysIfTargetBecomesLinkAfterAllChecks() throws Exception {
        Path foreign = tmpfs("foreign");
        Path target = Files.createSymbolicLink(directory.toRealPath().resolve("target"), foreign);
        assertThat(problem(process("umount", LONG).unmount(target)))
                .startsWith("umount of " + target + " failed: exit 32: umount: " + target + ": ")
                .contains("symbolic links");
        assertThat(mounted(foreign)).isTrue();
    }

    @Test
    void mountInUseIsKeptAndReported() throws Exception {
        Path path = tmpfs("busy");
        try (Writer open = Files.newBufferedWriter(path.resolve("file"))) {
            open.write("not lost");
            assertThat(problem(process("umount", LONG).unmount(path)))
                    .contains("exit 32")
                    .contains("busy");
            assertThat(mounted(path)).isTrue();
        }
    }

    @Test
    void operatorRequestUnmountsTargetForgottenByPlugin() throws Exception {
        RealMountsTest.run("umount", tmpfs("probe").toString());
        Path base = directory.resolve("agent");
        NodeService sound = RealMountsTest.service(executor);
        NodeService denying = (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(),
                new Class<?>[] {NodeService.class},
                (proxy, method, arguments) -> arguments[0] instanceof NodeUnpublishVolumeRequest
                        ? CompletableFuture.completedFuture(null)
                        : method.invoke(sound, arguments));
        NodeVolumes volumes = NodeVolumes.builder(
                        base,
                        id -> Optional.of(NodePlugin.of(
                                denying,
                                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)))))
                .environment(Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom()))
                .build();
        volumes.start().get(60, TimeUnit.SECONDS);
        try {
            Path target = volumes.mount(Bench.request("v", "a").build())
                    .get(60, TimeUnit.SECONDS)
                    .targetPath();
            NodeUnmount request = new NodeUnmount(Bench.id("v"), AllocationId.of("a"));
            assertThatThrownBy(() -> volumes.unmountDirectly(request, "alice", "driver was killed")
                            .get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("uses it");
            assertThat(mounted(target)).isTrue();
            CompletableFuture<Void> unmount = volumes.unmount(request);
            volumes.unmountDirectly(request, "alice", "driver was killed").get(60, TimeUnit.SECONDS);
            unmount.get(60, TimeUnit.SECONDS);
            assertThat(MountTable.ofLinux().read().within(base.toRealPath())).isEmpty();
        } finally {
            volumes.stop().get(60, TimeUnit.SECONDS);
        }
        assertThat(base.resolve("publish")).isEmptyDirectory();
    }
}
