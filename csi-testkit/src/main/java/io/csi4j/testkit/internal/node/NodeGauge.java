package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.VolumeUsage;
import io.csi4j.testkit.internal.rule.Refusal;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import java.util.List;

/** Measuring and growing what is staged or published on a node (R92, R94, R95). */
public final class NodeGauge {
    private static final long INODES = 1L << 20;

    private final Backend backend;
    private final StoredVolumes volumes;
    private final NodeShelf shelf;
    private final NodeEffects effects;

    /**
     * Makes the operations.
     *
     * @param backend of the storage
     * @param effects on the node
     */
    public NodeGauge(Backend backend, NodeShelf shelf, NodeEffects effects) {
        this.backend = backend;
        this.volumes = new StoredVolumes(backend);
        this.shelf = shelf;
        this.effects = effects;
    }

    /**
     * What was measured.
     *
     * @param volume that was measured
     * @param usage one row for a block volume, two for a mounted one
     */
    public record Reading(VolumeRecord volume, List<VolumeUsage> usage) {
        /** Copies the list. */
        public Reading {
            usage = List.copyOf(usage);
        }
    }

    /**
     * How many volumes a node takes now.
     *
     * @return zero for no limit
     */
    public long attachLimit(String nodeId) {
        return backend.attachLimit(nodeId);
    }

    /** A volume, wherever it is. */
    public VolumeRecord volume(String volumeId) {
        return backend.store().locked(() -> backend.volume(volumeId));
    }

    /**
     * A volume that is staged or published at a path of this node.
     *
     * @param path one of its paths
     * @param stagingPath where it is staged, or empty when the caller does not say
     * @throws Refusal NOT_FOUND when it does not exist, or not there
     */
    public VolumeRecord require(String volumeId, String path, String stagingPath) {
        return shelf.store().locked(() -> {
            VolumeRecord volume = volume(volumeId);
            var held = shelf.of(volumeId);
            if (!held.paths().contains(path)) {
                throw Refusal.notFound("volume '" + volumeId + "' is neither staged nor published at '" + path
                        + "' on node '" + shelf.nodeId() + "'; give one of its paths (R92, R94)");
            }
            if (!stagingPath.isEmpty()
                    && (held.staged() == null
                            || !held.staged().getStagingTargetPath().equals(stagingPath))) {
                throw Refusal.notFound("volume '" + volumeId + "' is not staged at '" + stagingPath + "' on node '"
                        + shelf.nodeId() + "'; give its staging path, or none (R92, R94)");
            }
            return volume;
        });
    }

    /**
     * Measures.
     *
     * @param path one of its paths
     * @param stagingPath where it is staged, or empty when the caller does not say
     * @return what was measured
     */
    public Reading read(String volumeId, String path, String stagingPath) {
        VolumeRecord volume = require(volumeId, path, stagingPath);
        NodeEffects.Usage used = effects.usage(volume);
        VolumeUsage bytes = row(VolumeUsage.Unit.BYTES, volume.nodeBytes(), used.bytes());
        return new Reading(
                volume,
                volume.block() ? List.of(bytes) : List.of(bytes, row(VolumeUsage.Unit.INODES, INODES, used.inodes())));
    }

    private static VolumeUsage row(VolumeUsage.Unit unit, long total, long used) {
        return VolumeUsage.newBuilder()
                .setUnit(unit)
                .setTotal(total)
                .setUsed(used)
                .setAvailable(Math.max(0, total - used))
                .build();
    }

    /**
     * Makes the node use what the volume has; grows the volume itself where no controller does that.
     *
     * @param volume on this node
     * @param range the wanted size, or the empty message for all there is
     * @param controllerExpands whether the controller grows volumes
     * @return the size it has now
     */
    public long grow(VolumeRecord volume, CapacityRange range, boolean controllerExpands) {
        if (controllerExpands && range.getRequiredBytes() > volume.bytes()) {
            throw Refusal.outOfRange("capacity_range: volume '" + volume.id() + "' has " + volume.bytes()
                    + " bytes; ControllerExpandVolume comes first (R83, R95)");
        }
        long bytes = volumes.expand(volume.id(), range, false, true);
        effects.grown(volume(volume.id()));
        return bytes;
    }
}
