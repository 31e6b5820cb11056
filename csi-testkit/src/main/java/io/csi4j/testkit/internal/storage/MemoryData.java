package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeContentSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Keeps the contents of volumes in memory: for each block, only the number of its last write. Use it under the
 * storage's lock only.
 */
public final class MemoryData implements VolumeData {
    private final Map<String, Map<Long, Long>> volumes = new HashMap<>();
    private final Map<String, Map<Long, Long>> snapshots = new HashMap<>();
    private long writes;

    public MemoryData() {}

    /**
     * Marks blocks as written.
     *
     * @param offset the first byte
     * @param bytes the number of bytes
     */
    public void write(String volumeId, long offset, long bytes) {
        writes++;
        Map<Long, Long> blocks = volumes.computeIfAbsent(volumeId, id -> new HashMap<>());
        for (long at = offset / BlockMap.BLOCK_BYTES; at * BlockMap.BLOCK_BYTES < offset + bytes; at++) {
            blocks.put(at, writes);
        }
    }

    @Override
    public void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source) {
        Map<Long, Long> from = switch (source.getTypeCase()) {
            case SNAPSHOT -> snapshots.get(source.getSnapshot().getSnapshotId());
            case VOLUME -> volumes.get(source.getVolume().getVolumeId());
            default -> null;
        };
        if (from != null) {
            volumes.put(volumeId, new HashMap<>(from));
        }
    }

    @Override
    public void createInline(String volumeId, Map<String, String> attributes) {}

    @Override
    public void deleteVolume(String volumeId) {
        volumes.remove(volumeId);
    }

    @Override
    public void resize(String volumeId, boolean block, long bytes) {}

    @Override
    public void createSnapshot(String snapshotId, String volumeId) {
        Map<Long, Long> from = volumes.get(volumeId);
        if (from != null) {
            snapshots.put(snapshotId, new HashMap<>(from));
        }
    }

    @Override
    public void deleteSnapshot(String snapshotId) {
        snapshots.remove(snapshotId);
    }

    @Override
    public BlockMap blocks(String snapshotId) {
        return new Written(Map.copyOf(snapshots.getOrDefault(snapshotId, Map.of())));
    }

    private record Written(Map<Long, Long> blocks) implements BlockMap {
        @Override
        public boolean allocated(long number) {
            return blocks.containsKey(number);
        }

        @Override
        public boolean differs(BlockMap base, long number) {
            return !Objects.equals(blocks.get(number), ((Written) base).blocks.get(number));
        }

        @Override
        public void close() {}
    }
}
