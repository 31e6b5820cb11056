package io.csi4j.benchmarks.node;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.NodeVolumes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Mounts and unmounts volumes on one node, with the library and with direct calls. */
final class BenchmarkMounts implements AutoCloseable {
    /** The approximate size in bytes of the ledger file of one of the benchmark's volumes. */
    private static final int FILE_BYTES = 700;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(8);
    private final Path base;
    private final CsiClient client;

    BenchmarkMounts(Path base, CsiClient client) {
        this.base = base;
        this.client = client;
    }

    static NodeVolumeId id(int number) {
        return new NodeVolumeId(
                VolumeKey.of("ns", "volume-" + number), PluginId.of("p"), ExternalVolumeId.of("vol-" + number));
    }

    private static final Map<String, String> PUBLISH =
            Map.of("devicePath", "/dev/disk/by-id/0123456789abcdef", "lun", "17");

    private static final Map<String, String> VOLUME = Map.of("pool", "fast", "backend", "array-17");

    static NodeMount mount(int number) {
        return NodeMount.builder(
                        id(number),
                        AllocationId.of("web"),
                        RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                .publishContext(PublishContext.of(PUBLISH))
                .volumeContext(VolumeContext.of(VOLUME))
                .build();
    }

    NodeVolumes open(Path directory, boolean synced) {
        CapabilitySet<NodeCapability> offered =
                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME));
        NodeVolumes volumes = NodeVolumes.builder(
                        directory, pluginId -> Optional.of(NodePlugin.of(client.node(), offered)))
                .environment(
                        Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
                .options(NodeVolumeOptions.builder()
                        .syncedWrites(synced)
                        .publishesWithoutMount(List.of(PluginId.of("p")))
                        .build())
                .build();
        volumes.start().join();
        return volumes;
    }

    /** Mounts a volume and does not unmount it. */
    void mountAndKeep(NodeVolumes volumes, int number) {
        volumes.mount(mount(number)).join();
    }

    /** Mounts and unmounts one volume with the library; returns the duration in nanoseconds. */
    long mountAndUnmount(NodeVolumes volumes, Path directory, int number) {
        long begin = System.nanoTime();
        volumes.mount(mount(number)).join();
        volumes.unmount(new NodeUnmount(id(number), AllocationId.of("web"))).join();
        long nanosTaken = System.nanoTime() - begin;
        // Waits for the work that the library does after the future has completed, so that this work does not disturb
        // the next measurement.
        while (Files.exists(directory.resolve("ledger/ns/volume-" + number + ".rec"))) {
            Thread.onSpinWait();
        }
        return nanosTaken;
    }

    /**
     * Stages, publishes, unpublishes and unstages a volume with four direct calls to the plugin; returns the duration
     * in nanoseconds.
     *
     * @param writes whether to make the six durable writes that a restart after a crash needs: one before each of the
     *     four calls, and one more after the publish and after the unstage. Each write creates a new file, syncs it,
     *     renames it, and syncs the directory
     * @param directories whether to create the directories that CSI requires of the caller (R85, R88)
     */
    long callDirectly(int number, boolean writes, boolean directories, boolean synced) throws IOException {
        Path staging = base.resolve("direct-staging-" + number);
        Path targets = base.resolve("direct-targets-" + number);
        Path target = targets.resolve("web");
        Path file = base.resolve("direct-" + number + ".rec");
        NodeService node = client.node();
        ExternalVolumeId id = ExternalVolumeId.of("vol-" + number);
        VolumeCapability capability = VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        long begin = System.nanoTime();
        write(file, writes, synced);
        if (directories) {
            Files.createDirectory(staging);
            Files.createDirectory(targets);
        }
        node.nodeStageVolume(NodeStageVolumeRequest.builder(id, staging.toString(), capability)
                        .publishContext(PublishContext.of(PUBLISH))
                        .volumeContext(VolumeContext.of(VOLUME))
                        .build())
                .join();
        write(file, writes, synced);
        node.nodePublishVolume(NodePublishVolumeRequest.builder(id, target.toString(), capability)
                        .stagingTargetPath(staging.toString())
                        .publishContext(PublishContext.of(PUBLISH))
                        .volumeContext(VolumeContext.of(VOLUME))
                        .build())
                .join();
        write(file, writes, synced);
        write(file, writes, synced);
        node.nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(id, target.toString())
                        .build())
                .join();
        write(file, writes, synced);
        node.nodeUnstageVolume(
                        NodeUnstageVolumeRequest.builder(id, staging.toString()).build())
                .join();
        if (directories) {
            Files.delete(staging);
            Files.delete(targets);
        }
        if (writes) {
            Files.delete(file);
            sync(base, synced);
        }
        return System.nanoTime() - begin;
    }

    private void write(Path file, boolean enabled, boolean synced) throws IOException {
        if (!enabled) {
            return;
        }
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(new byte[FILE_BYTES]));
            if (synced) {
                channel.force(true);
            }
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        sync(base, synced);
    }

    private static void sync(Path directory, boolean synced) throws IOException {
        if (synced) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Mounts all volumes at once; returns the nanoseconds until the last volume is mounted. */
    static long mountAll(NodeVolumes volumes, int number) {
        long begin = System.nanoTime();
        List<CompletableFuture<?>> mounts = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            mounts.add(volumes.mount(mount(i)));
        }
        CompletableFuture.allOf(mounts.toArray(CompletableFuture<?>[]::new)).join();
        return System.nanoTime() - begin;
    }

    @Override
    public void close() {
        executor.shutdown();
        scheduler.shutdown();
    }
}
