package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import io.csi4j.proto.csi.v1.GetMetadataDeltaRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.fault.WrongAnswer;
import io.grpc.Status;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The streams of snapshot metadata, in memory and over images. */
class SnapshotMetadataTest {
    private static final long BLOCK = 64 << 10;

    @TempDir
    Path directory;

    private static List<String> allocated(PluginClient client, Snapshot snapshot, long from, int max) {
        List<BlockMetadata> ranges = new ArrayList<>();
        client.metadata()
                .getMetadataAllocated(GetMetadataAllocatedRequest.newBuilder()
                        .setSnapshotId(snapshot.getSnapshotId())
                        .setStartingOffset(from)
                        .setMaxResults(max)
                        .build())
                .forEachRemaining(response -> {
                    assertThat(response.getVolumeCapacityBytes()).isEqualTo(snapshot.getSizeBytes());
                    assertThat(max == 0 || response.getBlockMetadataCount() <= max)
                            .isTrue();
                    ranges.addAll(response.getBlockMetadataList());
                });
        return inBlocks(ranges);
    }

    private static List<String> delta(PluginClient client, Snapshot base, Snapshot target) {
        List<BlockMetadata> ranges = new ArrayList<>();
        client.metadata()
                .getMetadataDelta(GetMetadataDeltaRequest.newBuilder()
                        .setBaseSnapshotId(base.getSnapshotId())
                        .setTargetSnapshotId(target.getSnapshotId())
                        .build())
                .forEachRemaining(response -> ranges.addAll(response.getBlockMetadataList()));
        return inBlocks(ranges);
    }

    private static List<String> inBlocks(List<BlockMetadata> ranges) {
        return ranges.stream()
                .map(one -> one.getByteOffset() / (double) BLOCK + "+" + one.getSizeBytes() / (double) BLOCK)
                .toList();
    }

    /** Something that writes to the volume: in memory by the storage, on disk to the image. */
    private interface Writer {
        void write(Volume volume, long offset, int bytes) throws Exception;
    }

    private void deltaListsWrittenBlocks(FakeCsiPlugin plugin, Writer writer) throws Exception {
        try (PluginClient client = PluginClient.inProcess(plugin)) {
            Walk walk = new Walk(client, "node-1");
            walk.block = true;
            walk.bytes = 10 * BLOCK + 512;
            Volume volume = walk.create("v");
            Snapshot empty = walk.snapshot("empty", volume);
            writer.write(volume, BLOCK, (int) (2 * BLOCK));
            writer.write(volume, 5 * BLOCK + 7, 1);
            Snapshot first = walk.snapshot("first", volume);
            writer.write(volume, 2 * BLOCK, 1);
            writer.write(volume, 10 * BLOCK, 512);
            Snapshot second = walk.snapshot("second", volume);

            assertThat(allocated(client, empty, 0, 0)).isEmpty();
            assertThat(allocated(client, first, 0, 0)).containsExactly("1.0+2.0", "5.0+1.0");
            // The last block is as long as the volume is.
            assertThat(allocated(client, second, 0, 1)).containsExactly("1.0+2.0", "5.0+1.0", "10.0+0.0078125");
            assertThat(allocated(client, second, 3 * BLOCK, 0)).containsExactly("5.0+1.0", "10.0+0.0078125");
            assertThat(allocated(client, second, second.getSizeBytes(), 0)).isEmpty();
            assertThat(delta(client, first, second)).containsExactly("2.0+1.0", "10.0+0.0078125");
            assertThat(delta(client, second, second)).isEmpty();
            refused(Status.Code.OUT_OF_RANGE, () -> allocated(client, second, second.getSizeBytes() + 1, 0));
            refused(Status.Code.INVALID_ARGUMENT, () -> allocated(client, second, -1, 0));
            refused(
                    Status.Code.NOT_FOUND,
                    () -> allocated(
                            client,
                            Snapshot.newBuilder().setSnapshotId("nowhere").build(),
                            0,
                            0));
        }
    }

    @Test
    void streamGoesOnForEverOnRequest() throws Exception {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                        .capabilities(FakeCapability.csi112())
                        .build()
                        .startInProcess();
                PluginClient client = PluginClient.inProcess(plugin)) {
            Walk walk = new Walk(client, "node-1");
            walk.block = true;
            walk.bytes = 10 * BLOCK;
            Volume volume = walk.create("v");
            plugin.storage().write(volume.getVolumeId(), BLOCK, BLOCK);
            Snapshot snapshot = walk.snapshot("snapshot", volume);
            plugin.onCall(Rpc.GET_METADATA_ALLOCATED).answerWrong(WrongAnswer.ENDLESS_STREAM);
            var stream = client.metadata()
                    .getMetadataAllocated(GetMetadataAllocatedRequest.newBuilder()
                            .setSnapshotId(snapshot.getSnapshotId())
                            .build());
            assertThat(stream.next().getBlockMetadataCount()).isEqualTo(1);
            for (int i = 0; i < 5_000; i++) {
                assertThat(stream.next().getBlockMetadataCount()).isZero();
            }
        }
    }

    @Test
    void snapshotMetadataIsServedFromMemory() throws Exception {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .capabilities(FakeCapability.csi112())
                .build()
                .startInProcess()) {
            deltaListsWrittenBlocks(
                    plugin, (volume, offset, bytes) -> plugin.storage().write(volume.getVolumeId(), offset, bytes));
        }
    }

    @Test
    void snapshotMetadataIsServedFromDisk() throws Exception {
        Path state = directory.resolve("state");
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .capabilities(FakeCapability.csi112())
                .stateDir(state)
                .build()
                .startInProcess()) {
            byte[] value = {1};
            deltaListsWrittenBlocks(plugin, (volume, offset, bytes) -> {
                Path image = state.resolve("data/volumes")
                        .resolve(volume.getVolumeId())
                        .resolve("image");
                try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                    value[0]++;
                    for (int i = 0; i < bytes; i += 512) {
                        file.seek(offset + i);
                        file.write(value);
                    }
                }
            });
        }
    }

    @Test
    void streamWaitsForSlowSubscriber() throws Exception {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                        .capabilities(FakeCapability.csi112())
                        .build()
                        .startOn("unix://" + directory.resolve("p.sock"));
                PluginClient client = PluginClient.on(plugin.endpoint())) {
            Walk walk = new Walk(client, "node-1");
            walk.block = true;
            int ranges = 20_000;
            walk.bytes = BLOCK * 2 * ranges;
            Volume volume = walk.create("v");
            for (int i = 0; i < ranges; i++) {
                plugin.storage().write(volume.getVolumeId(), BLOCK * 2 * i, 1);
            }
            Snapshot snapshot = walk.snapshot("s", volume);
            // The blocking iterator takes one message at a time; the transport holds back the others.
            var responses = client.metadata()
                    .getMetadataAllocated(GetMetadataAllocatedRequest.newBuilder()
                            .setSnapshotId(snapshot.getSnapshotId())
                            .build());
            long found = 0;
            long last = -1;
            for (GetMetadataAllocatedResponse response : ImmutableList.copyOf(responses)) {
                for (BlockMetadata range : response.getBlockMetadataList()) {
                    assertThat(range.getByteOffset()).isGreaterThan(last);
                    last = range.getByteOffset();
                    found++;
                }
            }
            assertThat(found).isEqualTo(ranges);
        }
    }
}
