package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.csi4j.proto.csi.v1.VolumeUsage;
import io.grpc.Status;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin with a state directory, with real mounts. */
class RealMountTest {
    @TempDir
    Path directory;

    private FakeCsiPlugin plugin;
    private PluginClient client;
    private Walk walk;
    private Path staging;
    private Path target;

    @BeforeEach
    void start() throws Exception {
        Machine.assumeRoot();
        open();
        // Blanks and line feeds are written in another way in the kernel's mount table.
        staging = Files.createDirectory(directory.resolve("staging path\nwith ümlaut"));
        target = Files.createDirectory(directory.resolve("pods of\ta user")).resolve("mount\\point");
    }

    private void open() {
        plugin = FakeCsiPlugin.builder()
                .stateDir(directory.resolve("state"))
                .capacity(1L << 30)
                .build()
                .startInProcess();
        client = PluginClient.inProcess(plugin);
        walk = new Walk(client, "node-1");
    }

    @AfterEach
    void leaveNothing() throws Exception {
        if (plugin != null) {
            client.close();
            plugin.close();
            try {
                assertThat(Machine.mountsBelow(directory)).isZero();
                assertThat(Machine.loopsBelow(directory)).isZero();
            } finally {
                Machine.cleanUp(directory);
            }
        }
    }

    private Map<String, String> bringUp(Volume volume) {
        Map<String, String> context = walk.attach(volume, false);
        walk.stage(volume, context, staging.toString());
        walk.publish(volume, context, staging.toString(), target.toString(), false);
        return context;
    }

    private void bringDown(Volume volume) {
        walk.unpublish(volume.getVolumeId(), target.toString());
        walk.unstage(volume.getVolumeId(), staging.toString());
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
    }

    @Test
    void writtenFilesSurvivePluginRestart() throws Exception {
        Volume volume = walk.create("kept");
        Map<String, String> context = bringUp(volume);
        Files.writeString(target.resolve("file"), "hello");
        client.close();
        plugin.close();
        open();
        assertThat(target.resolve("file")).hasContent("hello");
        walk.publish(volume, context, staging.toString(), target.toString(), false);
        assertThat(Machine.mountsBelow(directory)).isEqualTo(2);
        bringDown(volume);
        assertThat(target).doesNotExist();
        assertThat(plugin.storage().volumeIds()).isEmpty();
        try (var left = Files.list(directory.resolve("state/data/volumes"))) {
            assertThat(left).isEmpty();
        }
    }

    /** As after the end of a driver whose file system is in a FUSE process. */
    @Test
    void deadFuseMountsAreReplacedByRepeatedCallsAndRemovedAtTheEnd() throws Exception {
        Machine.assumeFuse(directory);
        Volume volume = walk.create("dead");
        Map<String, String> context = bringUp(volume);
        Files.writeString(target.resolve("file"), "hello");
        Machine.mountDead(staging);
        Machine.mountDead(target);
        assertThat(Files.isReadable(target.resolve("file"))).isFalse();

        walk.stage(volume, context, staging.toString());
        walk.publish(volume, context, staging.toString(), target.toString(), false);
        assertThat(target.resolve("file")).hasContent("hello");
        assertThat(Machine.mountsBelow(directory)).isEqualTo(2);

        Machine.mountDead(staging);
        Machine.mountDead(target);
        bringDown(volume);
        assertThat(target).doesNotExist();
    }

    @Test
    void readonlyMountRefusesWrites() throws Exception {
        walk.mode = Mode.SINGLE_NODE_MULTI_WRITER;
        Volume volume = walk.create("readonly");
        Map<String, String> context = bringUp(volume);
        Path second = target.resolveSibling("second");
        walk.publish(volume, context, staging.toString(), second.toString(), true);
        Files.writeString(target.resolve("file"), "hello");
        assertThat(second.resolve("file")).hasContent("hello");
        assertThatThrownBy(() -> Files.writeString(second.resolve("other"), "no"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Read-only");
        walk.unpublish(volume.getVolumeId(), second.toString());
        bringDown(volume);
    }

    @Test
    void volumeWithReaderAccessModeIsMountedReadonly() throws Exception {
        walk.mode = Mode.SINGLE_NODE_READER_ONLY;
        Volume volume = walk.create("reader");
        bringUp(volume);
        assertThatThrownBy(() -> Files.writeString(target.resolve("file"), "no"))
                .hasMessageContaining("Read-only");
        bringDown(volume);
    }

    @Test
    void snapshotsAndClonesKeepContentFromCreationTime() throws Exception {
        Volume volume = walk.create("source");
        Map<String, String> context = bringUp(volume);
        Files.writeString(target.resolve("file"), "before");
        Files.createSymbolicLink(target.resolve("link"), Path.of("file"));
        Snapshot snapshot = walk.snapshot("snap", volume);
        Files.writeString(target.resolve("file"), "after");
        VolumeContentSource.Builder fromSnapshot = VolumeContentSource.newBuilder();
        fromSnapshot.getSnapshotBuilder().setSnapshotId(snapshot.getSnapshotId());
        VolumeContentSource.Builder fromVolume = VolumeContentSource.newBuilder();
        fromVolume.getVolumeBuilder().setVolumeId(volume.getVolumeId());
        Volume restored = client.controller()
                .createVolume(walk.createRequest("restored")
                        .setVolumeContentSource(fromSnapshot)
                        .build())
                .getVolume();
        Volume clone = client.controller()
                .createVolume(walk.createRequest("clone")
                        .setVolumeContentSource(fromVolume)
                        .build())
                .getVolume();
        bringDown(volume);
        bringUp(restored);
        assertThat(target.resolve("link")).hasContent("before");
        bringDown(restored);
        bringUp(clone);
        assertThat(target.resolve("file")).hasContent("after");
        bringDown(clone);
        assertThat(context).isNotEmpty();
        client.controller()
                .deleteSnapshot(io.csi4j.proto.csi.v1.DeleteSnapshotRequest.newBuilder()
                        .setSnapshotId(snapshot.getSnapshotId())
                        .build());
        try (var left = Files.list(directory.resolve("state/data/snapshots"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void blockDeviceGrowsWhenVolumeIsExpanded() throws Exception {
        Machine.assumeLoopDevices();
        walk.block = true;
        walk.mode = Mode.SINGLE_NODE_MULTI_WRITER;
        Volume volume = walk.create("block");
        Map<String, String> context = bringUp(volume);
        try (RandomAccessFile device = new RandomAccessFile(target.toFile(), "rw")) {
            device.seek(4096);
            device.write("hello".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            device.getFD().sync();
        }
        assertThat(Machine.run("blockdev", "--getsize64", target.toString())).isEqualTo(Long.toString(walk.bytes));
        Path second = target.resolveSibling("second");
        walk.publish(volume, context, staging.toString(), second.toString(), true);
        assertThat(Machine.run("blockdev", "--getro", second.toString())).isEqualTo("1");
        assertThatThrownBy(() -> Files.write(second, new byte[512], java.nio.file.StandardOpenOption.WRITE))
                .isInstanceOf(IOException.class);
        walk.unpublish(volume.getVolumeId(), second.toString());

        CapacityRange more =
                CapacityRange.newBuilder().setRequiredBytes(2 * walk.bytes).build();
        client.controller()
                .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setCapacityRange(more)
                        .build());
        client.node()
                .nodeExpandVolume(NodeExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setVolumePath(target.toString())
                        .build());
        assertThat(Machine.run("blockdev", "--getsize64", target.toString())).isEqualTo(Long.toString(2 * walk.bytes));

        Snapshot snapshot = walk.snapshot("snap", volume);
        VolumeContentSource.Builder source = VolumeContentSource.newBuilder();
        source.getSnapshotBuilder().setSnapshotId(snapshot.getSnapshotId());
        walk.bytes = 3 * walk.bytes;
        Volume restored = client.controller()
                .createVolume(walk.createRequest("restored")
                        .setVolumeContentSource(source)
                        .build())
                .getVolume();
        bringDown(volume);
        bringUp(restored);
        byte[] read = new byte[5];
        try (RandomAccessFile device = new RandomAccessFile(target.toFile(), "r")) {
            device.seek(4096);
            device.readFully(read);
        }
        assertThat(new String(read, java.nio.charset.StandardCharsets.UTF_8)).isEqualTo("hello");
        bringDown(restored);
    }

    @Test
    void reportedUsageEqualsFileSystemUsage() throws Exception {
        Volume volume = walk.create("measured");
        bringUp(volume);
        Files.write(target.resolve("file"), new byte[1000]);
        assertThat(client.node()
                        .nodeGetVolumeStats(NodeGetVolumeStatsRequest.newBuilder()
                                .setVolumeId(volume.getVolumeId())
                                .setVolumePath(target.toString())
                                .setStagingTargetPath(staging.toString())
                                .build())
                        .getUsageList())
                .extracting(VolumeUsage::getUnit, VolumeUsage::getUsed, VolumeUsage::getTotal)
                .contains(org.assertj.core.groups.Tuple.tuple(VolumeUsage.Unit.BYTES, 1000L, walk.bytes));
        bringDown(volume);
    }

    @Test
    void deletingVolumeDoesNotCrossMountPoints() throws Exception {
        Volume volume = walk.create("trap");
        Path precious = Files.createDirectory(directory.resolve("precious"));
        Files.writeString(precious.resolve("file"), "keep me");
        Path inside = directory.resolve("state/data/volumes/" + volume.getVolumeId() + "/content/inside");
        Files.createDirectory(inside);
        Machine.run("mount", "--bind", precious.toString(), inside.toString());
        assertThat(refused(Status.Code.FAILED_PRECONDITION, () -> walk.delete(volume.getVolumeId())))
                .contains("inside")
                .contains("unmount");
        assertThat(precious.resolve("file")).hasContent("keep me");
        Machine.run("umount", inside.toString());
        walk.delete(volume.getVolumeId());
        assertThat(precious.resolve("file")).hasContent("keep me");
    }

    @Test
    void foreignMountIsNotUnmounted() throws Exception {
        Volume volume = walk.create("beside");
        Map<String, String> context = bringUp(volume);
        Path other = Files.createDirectory(directory.resolve("other"));
        Machine.run("mount", "--bind", other.toString(), target.toString());
        assertThat(refused(Status.Code.INTERNAL, () -> walk.unpublish(volume.getVolumeId(), target.toString())))
                .contains("by hand");
        assertThat(Machine.mountsBelow(directory)).isEqualTo(3);
        Machine.run("umount", target.toString());
        assertThat(context).isNotEmpty();
        bringDown(volume);
    }

    @Test
    void repeatedPublishRestoresLostMount() throws Exception {
        Volume volume = walk.create("rebooted");
        Map<String, String> context = bringUp(volume);
        Machine.run("umount", target.toString());
        Machine.run("umount", staging.toString());
        walk.stage(volume, context, staging.toString());
        walk.publish(volume, context, staging.toString(), target.toString(), false);
        Files.writeString(target.resolve("file"), "hello");
        assertThat(staging.resolve("file")).hasContent("hello");
        bringDown(volume);
    }

    @Test
    void mountFlagsAreAppliedAndUnknownMountFlagsAreRefused() throws Exception {
        Volume volume = walk.create("flags");
        Map<String, String> context = walk.attach(volume, false);
        var capability = walk.capability().toBuilder();
        capability.getMountBuilder().addMountFlags("noexec");
        walk.client
                .node()
                .nodeStageVolume(
                        walk.stageRequest(volume, context, staging.toString()).build());
        walk.client
                .node()
                .nodePublishVolume(walk.publishRequest(volume, context, staging.toString(), target.toString())
                        .setVolumeCapability(capability)
                        .build());
        assertThat(Machine.run("findmnt", "--noheadings", "--output", "OPTIONS", target.toString()))
                .contains("noexec");
        walk.unpublish(volume.getVolumeId(), target.toString());
        capability.getMountBuilder().addMountFlags("password=canary-4711");
        assertThat(refused(
                        Status.Code.INVALID_ARGUMENT,
                        () -> walk.client
                                .node()
                                .nodePublishVolume(
                                        walk.publishRequest(volume, context, staging.toString(), target.toString())
                                                .setVolumeCapability(capability)
                                                .build())))
                .contains("mount_flags[1]")
                .doesNotContain("canary");
        walk.unstage(volume.getVolumeId(), staging.toString());
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
    }

    @Test
    void stateFilesContainNoSecret() throws Exception {
        Volume volume = walk.create("secret");
        bringUp(volume);
        walk.snapshot("secret", volume);
        try (var files = Files.walk(directory.resolve("state"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.isRegularFile(file)) {
                    byte[] bytes = Files.readAllBytes(file);
                    assertThat(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1))
                            .doesNotContain("canary-4711")
                            // what Base64 makes of it, for each of the three ways it can be aligned
                            .doesNotContain("Y2FuYXJ5LTQ3MT")
                            .doesNotContain("NhbmFyeS00NzEx")
                            .doesNotContain("jYW5hcnktNDcxM");
                }
            }
        }
        bringDown(volume);
    }

    @Test
    void damagedRecordIsReportedAndKept() throws Exception {
        Volume volume = walk.create("damaged");
        Path record = directory.resolve("state/volumes/" + volume.getVolumeId() + ".rec");
        String good = Files.readString(record);
        Files.writeString(record, good.substring(0, good.length() / 2));
        assertThat(refused(
                        Status.Code.DATA_LOSS,
                        () -> client.controller()
                                .listVolumes(io.csi4j.proto.csi.v1.ListVolumesRequest.getDefaultInstance())))
                .contains(record.toRealPath().toString());
        Files.writeString(record, good.replace("name=damaged", "name=demagad"));
        assertThat(refused(Status.Code.DATA_LOSS, () -> walk.delete(volume.getVolumeId())))
                .contains("checksum");
        Files.writeString(record, good);
        walk.delete(volume.getVolumeId());
    }
}
