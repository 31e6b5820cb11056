package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumes;
import io.csi4j.proto.csi.v1.Volume;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node side on the fake as a process: block volumes on loop devices, and a plugin that sees other paths. */
class NodeVolumesOnFakeTest {
    private static final PluginId PLUGIN = PluginId.of("fake");

    @TempDir
    Path given;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private Path directory;
    private Path base;
    private FakePluginProcess process;
    private CsiClient client;
    private PluginClient raw;
    private NodeVolumes volumes;

    @BeforeEach
    void start() throws Exception {
        Machine.assumeRoot();
        directory = given.toRealPath();
        base = Files.createDirectory(directory.resolve("base"));
        process = FakePluginProcess.builder("unix://" + directory.resolve("x.sock"))
                .jvmArguments(ClassArchive.option())
                .stateDir(directory.resolve("state"))
                .start();
        client = CsiClient.connect(process.endpoint());
        raw = PluginClient.on(process.endpoint());
    }

    @AfterEach
    void close() throws Exception {
        if (process != null) {
            if (volumes != null) {
                volumes.stop().get(60, TimeUnit.SECONDS);
            }
            client.close();
            raw.close();
            process.close();
            for (int again = 0; again < 2; again++) {
                Machine.cleanUp(directory);
            }
        }
        scheduler.shutdownNow();
        executor.shutdownNow();
    }

    private void open(Optional<Path> baseInPlugin) throws Exception {
        var offered =
                client.node().nodeGetCapabilities().get(60, TimeUnit.SECONDS).capabilities();
        volumes = NodeVolumes.builder(base, id -> Optional.of(new NodePlugin(client.node(), offered, baseInPlugin)))
                .environment(
                        Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
                .build();
        volumes.start().get(60, TimeUnit.SECONDS);
    }

    @Test
    void inlineVolumeIsMadeAtItsTargetAndGoneAfterRestartsOfPluginAndNode() throws Exception {
        Path state = directory.resolve("inline-state");
        String endpoint = "unix://" + directory.resolve("inline.sock");
        NodeVolumeId id = new NodeVolumeId(VolumeKey.of("ns", "cert"), PLUGIN, ExternalVolumeId.of("csi-1"));
        NodeMount mount = NodeMount.builder(
                        id, AllocationId.of("a"), RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                .volumeContext(VolumeContext.of(Map.of("subject", "web")))
                .inline(true)
                .build();
        client.close();
        try (FakePluginProcess first = inlinePlugin(endpoint, state)) {
            client = CsiClient.connect(first.endpoint());
            open(Optional.empty());
            MountedVolume mounted = volumes.mount(mount).get(60, TimeUnit.SECONDS);
            assertThat(mounted.targetPath().resolve("attributes")).hasContent("subject=web\n");
            volumes.stop().get(60, TimeUnit.SECONDS);
            first.killForcibly();
        }
        try (FakePluginProcess second = inlinePlugin(endpoint, state)) {
            open(Optional.empty());
            volumes.unmount(new NodeUnmount(id, AllocationId.of("a"))).get(60, TimeUnit.SECONDS);
            assertThat(attributes(state)).as("content that the plugin keeps").isEmpty();
            assertThat(volumes.volumes()).isEmpty();
            volumes.stop().get(60, TimeUnit.SECONDS);
            assertThat(second.isAlive()).isTrue();
        }
    }

    private static FakePluginProcess inlinePlugin(String endpoint, Path state) throws Exception {
        return FakePluginProcess.builder(endpoint)
                .jvmArguments(ClassArchive.option())
                .stateDir(state)
                .inlineVolumes("subject")
                .start();
    }

    /** Returns the files with the attributes of inline volumes. */
    private static List<Path> attributes(Path state) throws Exception {
        try (Stream<Path> all = Files.walk(state)) {
            return all.filter(path -> path.endsWith("attributes")).toList();
        }
    }

    private static NodeMount.Builder request(
            Volume volume, Map<String, String> context, String allocation, RequestedCapability capability) {
        return NodeMount.builder(
                        new NodeVolumeId(VolumeKey.of("ns", "v"), PLUGIN, ExternalVolumeId.of(volume.getVolumeId())),
                        AllocationId.of(allocation),
                        capability)
                .publishContext(PublishContext.of(context))
                .volumeContext(VolumeContext.of(volume.getVolumeContextMap()));
    }

    private MountedVolume mount(NodeMount.Builder request) throws Exception {
        return volumes.mount(request.build()).get(60, TimeUnit.SECONDS);
    }

    private void unmount(NodeMount.Builder request) throws Exception {
        NodeMount mount = request.build();
        volumes.unmount(new NodeUnmount(mount.id(), mount.allocationId())).get(60, TimeUnit.SECONDS);
    }

    private void nothingIsLeft(Walk walk, Volume volume) throws Exception {
        assertThat(Machine.loopsBelow(directory)).isZero();
        // Directories go right after the unmount, and before the end.
        volumes.stop().get(60, TimeUnit.SECONDS);
        for (String left : new String[] {"staging", "publish"}) {
            try (Stream<Path> files = Files.list(base.resolve(left))) {
                assertThat(files).isEmpty();
            }
        }
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
    }

    private static byte[] readBlock(Path device) throws Exception {
        try (FileChannel channel = FileChannel.open(device, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(512);
            channel.read(bytes);
            return bytes.array();
        }
    }

    @Test
    void blockVolumeAppearsAsDeviceForEachAllocationUntilUnmounted() throws Exception {
        Machine.assumeLoopDevices();
        open(Optional.empty());
        Walk walk = new Walk(raw, "node-1");
        walk.block = true;
        walk.mode = io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode.MULTI_NODE_MULTI_WRITER;
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        RequestedCapability block = RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        NodeMount.Builder a = request(volume, context, "a", block);
        NodeMount.Builder b = request(volume, context, "b", block);

        MountedVolume first = mount(a);
        assertThat(first.attachmentMode()).isEqualTo(AttachmentMode.BLOCK);
        // It is neither a directory nor a file: a device node.
        assertThat(Files.readAttributes(first.targetPath(), "isOther", LinkOption.NOFOLLOW_LINKS))
                .containsEntry("isOther", true);
        byte[] content = "raw content".getBytes(StandardCharsets.UTF_8);
        try (FileChannel channel = FileChannel.open(first.targetPath(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(java.util.Arrays.copyOf(content, 512)));
            channel.force(true);
        }
        assertThat(readBlock(mount(b).targetPath())).startsWith(content);
        volumes.check().get(60, TimeUnit.SECONDS);

        // A new process finds the devices in place, and one user's end takes nothing from the other.
        volumes.stop().get(60, TimeUnit.SECONDS);
        open(Optional.empty());
        unmount(a);
        assertThat(first.targetPath()).doesNotExist();
        assertThat(readBlock(mount(b).targetPath())).startsWith(content);
        unmount(b);
        assertThat(Machine.mountsBelow(directory)).isZero();
        nothingIsLeft(walk, volume);
    }

    @Test
    void workloadGetsPathOnlyWhenVolumeIsMountedThere() throws Exception {
        open(Optional.empty());
        Walk walk = new Walk(raw, "node-1");
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        Path outside = Files.createDirectory(directory.resolve("outside"));
        process.onCall(Rpc.NODE_PUBLISH_VOLUME).once().linkTarget(outside);
        process.onCall(Rpc.NODE_PUBLISH_VOLUME).once().answerWithoutEffect();
        NodeMount.Builder a =
                request(volume, context, "a", RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER));
        assertThatThrownBy(() -> mount(a))
                .cause()
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        failure ->
                                assertThat(failure.reason()).isEqualTo(NodeVolumeException.Reason.TARGET_NOT_A_MOUNT));
        Path target = mount(a).targetPath();
        assertThat(MountIds.below(base).within(target)).hasSize(1);
        assertThat(process.history().of(Rpc.NODE_PUBLISH_VOLUME).calls()).hasSize(3);
        assertThat(process.history().of(Rpc.NODE_UNPUBLISH_VOLUME).calls()).hasSize(2);
        assertThat(outside).isEmptyDirectory();
        unmount(a);
        nothingIsLeft(walk, volume);
    }

    @Test
    void pluginGetsPathsOfItsOwnFileSystem() throws Exception {
        // As in a container: the same directory at another path, and what is mounted there shows here.
        Path inside = Files.createDirectory(directory.resolve("inside"));
        Machine.run("mount", "--bind", base.toString(), base.toString());
        Machine.run("mount", "--make-shared", base.toString());
        Machine.run("mount", "--bind", base.toString(), inside.toString());
        open(Optional.of(inside));
        Walk walk = new Walk(raw, "node-1");
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        NodeMount.Builder a =
                request(volume, context, "a", RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER));
        MountedVolume mounted = mount(a);
        assertThat(mounted.targetPath()).isEqualTo(base.resolve("publish/ns/v/a"));
        Files.writeString(mounted.targetPath().resolve("file"), "hello");
        try (Stream<Path> contents = Files.walk(directory.resolve("state/data/volumes"))) {
            assertThat(contents.map(path -> path.getFileName().toString())).contains("file");
        }
        assertThat(MountIds.below(inside).within(inside.resolve("publish"))).hasSize(1);
        unmount(a);
        assertThat(MountIds.below(base).within(base.resolve("publish"))).isEmpty();
        assertThat(MountIds.below(base).within(base.resolve("staging"))).isEmpty();
        nothingIsLeft(walk, volume);
    }
}
