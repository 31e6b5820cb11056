package io.csi4j.benchmarks.node;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
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

/** Mounting and unmounting on one node, by hand and by the library. */
final class Mounts implements AutoCloseable {
    /** About what a record of such a volume has. */
    private static final int RECORD_BYTES = 700;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(8);
    private final Path base;
    private final CsiClient client;

    Mounts(Path base, CsiClient client) {
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
                        id(number), AllocationId.of("web"), RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                .publishContext(PublishContext.of(PUBLISH))
                .volumeContext(VolumeContext.of(VOLUME))
                .build();
    }

    NodeVolumes open(Path directory, boolean synced) {
        CapabilitySet<NodeCapability> offered =
                CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME));
        NodeVolumes volumes = NodeVolumes.builder(
                        directory, pluginId -> Optional.of(NodePlugin.of(client.node(), offered)))
                .timer(Timer.from(scheduler))
                .clock(Clock.systemUTC())
                .executor(executor)
                .random(new SplittableRandom(1))
                .options(NodeVolumeOptions.defaults().withSyncedWrites(synced))
                .build();
        volumes.start().join();
        return volumes;
    }

    /** A volume that stays. */
    void up(NodeVolumes volumes, int number) {
        volumes.mount(mount(number)).join();
    }

    /** One volume up and down by the library, with this directory; nanoseconds. */
    long library(NodeVolumes volumes, Path directory, int number) {
        long begin = System.nanoTime();
        volumes.mount(mount(number)).join();
        volumes.unmount(new NodeUnmount(id(number), AllocationId.of("web"))).join();
        long took = System.nanoTime() - begin;
        // What it does when it has told is not to disturb what is measured next.
        while (Files.exists(directory.resolve("ledger/ns/volume-" + number + ".rec"))) {
            Thread.onSpinWait();
        }
        return took;
    }

    /**
     * How the durable writes are made by hand that one volume up and down cannot do without, if it is to be known after a
     * crash what may be there: before each of the four calls, what is about to be done (with what was done before); after
     * the last call up and the last down, that it is done.
     */
    enum Writes {
        NONE,
        /** Each time the whole file, beside it, synced, renamed, and its directory synced. */
        REPLACED,
        /** So the first time, and what comes later is added to it and synced: as cheap as it can be safe. */
        ADDED
    }

    /** The four calls, with writes, and with the directories that CSI demands (R85, R88). */
    long byHand(int number, Writes writes, boolean directories, boolean synced) throws IOException {
        Path staging = base.resolve("hand-staging-" + number);
        Path targets = base.resolve("hand-targets-" + number);
        Path target = targets.resolve("web");
        Path record = base.resolve("hand-" + number + ".rec");
        NodeService node = client.node();
        ExternalVolumeId id = ExternalVolumeId.of("vol-" + number);
        VolumeCapability capability = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
        long begin = System.nanoTime();
        write(record, writes, synced);
        if (directories) {
            Files.createDirectory(staging);
            Files.createDirectory(targets);
        }
        node.nodeStageVolume(NodeStageVolumeRequest.builder(id, staging.toString(), capability)
                        .publishContext(PublishContext.of(PUBLISH))
                        .volumeContext(VolumeContext.of(VOLUME))
                        .build())
                .join();
        write(record, writes, synced);
        node.nodePublishVolume(NodePublishVolumeRequest.builder(id, target.toString(), capability)
                        .stagingTargetPath(staging.toString())
                        .publishContext(PublishContext.of(PUBLISH))
                        .volumeContext(VolumeContext.of(VOLUME))
                        .build())
                .join();
        write(record, writes, synced);
        write(record, writes, synced);
        node.nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(id, target.toString())
                        .build())
                .join();
        write(record, writes, synced);
        node.nodeUnstageVolume(
                        NodeUnstageVolumeRequest.builder(id, staging.toString()).build())
                .join();
        if (directories) {
            Files.delete(staging);
            Files.delete(targets);
        }
        if (writes != Writes.NONE) {
            Files.delete(record);
            sync(base, synced);
        }
        return System.nanoTime() - begin;
    }

    private void write(Path record, Writes how, boolean synced) throws IOException {
        if (how == Writes.NONE) {
            return;
        }
        if (how == Writes.ADDED && Files.exists(record)) {
            add(record, synced);
            return;
        }
        Path temporary = record.resolveSibling(record.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(new byte[RECORD_BYTES]));
            if (synced) {
                channel.force(true);
            }
        }
        Files.move(temporary, record, StandardCopyOption.ATOMIC_MOVE);
        sync(base, synced);
    }

    private static void add(Path record, boolean synced) throws IOException {
        try (FileChannel channel = FileChannel.open(record, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(new byte[RECORD_BYTES]));
            if (synced) {
                channel.force(false);
            }
        }
    }

    private static void sync(Path directory, boolean synced) throws IOException {
        if (synced) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** All up at once; nanoseconds until the last is there. */
    static long all(NodeVolumes volumes, int number) {
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
