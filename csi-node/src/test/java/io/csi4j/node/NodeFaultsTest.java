package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.FileLedger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unexpected errors of the host's code, of plugins and of other processes. */
class NodeFaultsTest {
    @TempDir
    Path base;

    @Test
    void volumeInNamespaceNamedLikeInternalFileIsMounted() {
        Bench bench = new Bench(base, 1, true);
        for (String name : List.of("lock", "ledger", "staging", ".lock")) {
            NodeVolumeId id =
                    new NodeVolumeId(VolumeKey.of(name, "v"), PluginId.of("p"), ExternalVolumeId.of("ext-" + name));
            MountedVolume mounted = bench.done(bench.volumes.mount(
                    NodeMount.builder(id, AllocationId.of("a"), Bench.MANY).build()));
            assertThat(mounted.targetPath()).isDirectory();
        }
    }

    @Test
    void throwingPluginLookupDoesNotBlockUnmount() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        AtomicBoolean broken = new AtomicBoolean();
        bench.crash();
        NodeVolumes volumes = bench.another(id -> {
                    if (broken.get()) {
                        throw new IllegalStateException("the host's own trouble");
                    }
                    return bench.node.found();
                })
                .build();
        CompletableFuture<Void> started = volumes.start();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(started).isCompleted();
        broken.set(true);
        CompletableFuture<Void> unmount = volumes.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of("b")));
        bench.time.advance(Duration.ofMinutes(20));
        assertThat(unmount).isDone();
    }

    @Test
    void errorThrownByListenerDoesNotStopWorker() {
        Bench bench = new Bench(base, 1, true);
        bench.crash();
        AtomicInteger reported = new AtomicInteger();
        NodeVolumes volumes = bench.another()
                .environment(Environment.of(
                        bench.time,
                        bench.time,
                        task -> bench.time.execute(() -> {
                            try {
                                task.run();
                            } catch (AssertionError e) {
                                // Counts the errors that reach the executor of the host.
                                reported.incrementAndGet();
                            }
                        }),
                        new SplittableRandom(1)))
                .listener(event -> {
                    if (event.kind() == Kind.MOUNTED && reported.getAndIncrement() == 0) {
                        throw new AssertionError("in a listener");
                    }
                })
                .build();
        CompletableFuture<Void> started = volumes.start();
        CompletableFuture<MountedVolume> first =
                volumes.mount(Bench.request("v", "a").build());
        bench.time.advance(Duration.ofMinutes(1));
        CompletableFuture<MountedVolume> second =
                volumes.mount(Bench.request("v", "a").build());
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(started).isCompleted();
        assertThat(reported).hasPositiveValue();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    /** A call whose start throws counts as failed and is retried. */
    @Test
    void errorThrownByPluginServiceFailsOnlyItsCall() {
        Bench bench = new Bench(base, 1, true);
        Set<Rpc> failing = EnumSet.of(Rpc.NODE_STAGE_VOLUME, Rpc.NODE_GET_VOLUME_STATS);
        bench.node.fates = rpc -> {
            if (failing.remove(rpc)) {
                throw new NoClassDefFoundError("of the host's");
            }
            return ScriptedNode.Fate.OK;
        };
        bench.done(bench.mount("v", "a"));
        NodeVolumeQuery query = new NodeVolumeQuery(
                Bench.id("v").volume(),
                Bench.id("v").pluginId(),
                Bench.id("v").externalVolumeId(),
                AllocationId.of("a"));
        assertThat(bench.failed(bench.volumes.stats(query))).isInstanceOf(NoClassDefFoundError.class);
        bench.done(bench.volumes.stats(query));
        bench.done(bench.unmount("v", "a"));
    }

    @Test
    void errorThrownByPluginServiceAfterSecretsArriveFailsOnlyItsCall() {
        Bench bench = new Bench(base, 1, true);
        bench.secrets = (id, allocation) -> {
            CompletableFuture<MountSecrets> later = new CompletableFuture<>();
            bench.time.schedule(Duration.ofMillis(5), () -> later.complete(MountSecrets.none()));
            return later;
        };
        Set<Rpc> failing = EnumSet.of(Rpc.NODE_STAGE_VOLUME);
        bench.node.fates = rpc -> {
            if (failing.remove(rpc)) {
                throw new NoClassDefFoundError("of the host's");
            }
            return ScriptedNode.Fate.OK;
        };
        bench.done(bench.mount("v", "a"));
    }

    @Test
    void failedBuildOfNodeVolumesReleasesDirectoryLock() {
        Bench bench = new Bench(base, 1, true);
        bench.crash();
        NodeVolumesBuilder builder = bench.another();
        MountTable broken = new MountTable() {
            @Override
            public MountPoints read() {
                return MountPoints.of(Set.of());
            }

            @Override
            public Optional<String> bootId() {
                throw new IllegalStateException("of the host's");
            }
        };
        assertThatThrownBy(() -> builder.mountTable(broken).build()).hasMessage("of the host's");
        NodeVolumes volumes = builder.mountTable(bench.node).build();
        CompletableFuture<Void> started = volumes.start();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(started).isCompleted();
    }

    /** Bounded executors reject some tasks and accept tasks again later. */
    @Test
    void workerContinuesAfterExecutorRejectedOneTask() {
        Bench bench = new Bench(base, 1, true);
        bench.crash();
        AtomicBoolean full = new AtomicBoolean();
        NodeVolumes volumes = bench.another()
                .environment(Environment.of(
                        bench.time,
                        bench.time,
                        task -> {
                            if (full.get()) {
                                throw new RejectedExecutionException("the queue is full");
                            }
                            bench.time.execute(task);
                        },
                        new SplittableRandom(1)))
                .build();
        CompletableFuture<Void> started = volumes.start();
        CompletableFuture<MountedVolume> mount =
                volumes.mount(Bench.request("v", "a").build());
        bench.time.advance(Duration.ofMillis(2));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1);
        assertThat(started).isCompleted();
        full.set(true);
        bench.time.advance(Duration.ofMillis(10));
        full.set(false);
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(mount).isCompleted();
    }

    @Test
    void requestsDuringStartAreServedInOrder() {
        Bench bench = new Bench(base, 1, true);
        bench.crash();
        NodeVolumes volumes = bench.another().build();
        CompletableFuture<Void> started = volumes.start();
        CompletableFuture<MountedVolume> mount =
                volumes.mount(Bench.request("v", "a").build());
        CompletableFuture<Void> unmount = volumes.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of("a")));
        assertThat(started).isNotDone();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(unmount).isCompleted();
        assertThat(mount).isCompletedExceptionally();
        assertThat(bench.node.mounts).isEmpty();
    }

    /** The process crashes during a publish whose use has ended; the plugin continues with the call (R30). */
    @Test
    void latePublishFromEarlierProcessIsUndone() {
        Bench bench = new Bench(base, 1, false);
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(2));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1);
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(1));
        assertThat(mount).isCompletedExceptionally();
        assertThat(unmount).isNotDone();
        String target = bench.target("v", "a");
        bench.restart();
        bench.done(bench.unmount("v", "a"));

        // The plugin creates the directory itself, as many plugins do.
        bench.node.published.put(target, "ext-v");
        bench.node.mounts.add(Path.of(target));
        bench.done(bench.volumes.check());
        assertThat(bench.node.mounts).isEmpty();
    }

    /** A plugin may write below the directories that are mounted into it, but must not redirect writes to other directories. */
    @Test
    void symbolicLinkInPlaceOfDirectoryIsNotFollowed(@TempDir Path outside) throws IOException {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("w", "a"));
        Path real = base.toRealPath();
        for (String root : List.of("staging", "publish")) {
            Files.move(real.resolve(root).resolve("ns"), real.resolve(root).resolve("was-ns"));
            Files.createSymbolicLink(real.resolve(root).resolve("ns"), outside);
        }
        Path kept = Files.createDirectories(outside.resolve("w/kept"));
        CompletableFuture<MountedVolume> mount =
                bench.volumes.mount(Bench.request("v", "a").build());
        CompletableFuture<Void> unmount = bench.unmount("w", "a");
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(mount).isNotDone();
        assertThat(bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow().reason())
                .contains("is a link");
        assertThat(unmount).isCompleted();
        try (var found = Files.walk(outside)) {
            assertThat(found).containsExactly(outside, outside.resolve("w"), kept);
        }
    }

    @Test
    void directoryLockRefusesOtherProcessEvenAfterFailedOpenInSameProcess() throws Exception {
        try (FileLedger ledger = FileLedger.open(base, false)) {
            assertThat(ledger.load().entries()).isEmpty();
            assertThatThrownBy(() -> FileLedger.open(base, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use");
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            OtherProcess.class.getName(),
                            base.toString())
                    .inheritIO()
                    .start();
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(other.exitValue()).isEqualTo(OtherProcess.REFUSED);
        }
    }

    /** The main class of another process that opens the same directory. */
    static final class OtherProcess {
        static final int REFUSED = 7;

        private OtherProcess() {}

        public static void main(String[] arguments) {
            try (FileLedger ledger = FileLedger.open(Path.of(arguments[0]), false)) {
                System.exit(ledger.load().entries().size());
            } catch (IOException refused) {
                System.exit(REFUSED);
            }
        }
    }
}
