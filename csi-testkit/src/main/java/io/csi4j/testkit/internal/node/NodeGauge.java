package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.VolumeUsage;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import java.util.List;

/** Measures and expands volumes that are staged or published on a node (R92, R94, R95). */
public final class NodeGauge {
    private static final long INODES = 1L << 20;

    private final Backend backend;
    private final StoredVolumes volumes;
    private final NodeShelf shelf;
    private final NodeEffects effects;

    /**
     * Creates the operations.
     *
     * @param sizeUnit the unit of sizes: volumes have a multiple of it
     */
    public NodeGauge(Backend backend, NodeShelf shelf, NodeEffects effects, long sizeUnit) {
        this.backend = backend;
        this.volumes = new StoredVolumes(backend, sizeUnit);
        this.shelf = shelf;
        this.effects = effects;
    }

    /**
     * The usage of a volume.
     *
     * @param volume the measured volume
     * @param usage one row for a block volume, two rows for a volume with a file system
     */
    public record Reading(VolumeRecord volume, List<VolumeUsage> usage) {
        public Reading {
            usage = List.copyOf(usage);
        }
    }

    /** Returns the volume limit of a node; zero: no limit. */
    public long attachLimit(String nodeId) {
        return backend.attachLimit(nodeId);
    }

    /** Returns a volume, whether it is on this node or not. */
    public VolumeRecord volume(String volumeId) {
        return backend.store().locked(() -> backend.volume(volumeId));
    }

    /**
     * Returns a volume that is staged or published at a path of this node.
     *
     * @param path one of the volume's paths
     * @param stagingPath the staging path; empty if the caller does not give one
     * @throws CallRefusal NOT_FOUND if the volume does not exist or is not at the path
     */
    public VolumeRecord require(String volumeId, String path, String stagingPath) {
        return shelf.store().locked(() -> {
            VolumeRecord volume = volume(volumeId);
            var held = shelf.of(volumeId);
            if (!held.paths().contains(path)) {
                throw CallRefusal.notFound("volume '" + volumeId + "' is neither staged nor published at '" + path
                        + "' on node '" + shelf.nodeId() + "'; give one of its paths (R92, R94)");
            }
            if (!stagingPath.isEmpty()
                    && (held.staged() == null
                            || !held.staged().getStagingTargetPath().equals(stagingPath))) {
                throw CallRefusal.notFound("volume '" + volumeId + "' is not staged at '" + stagingPath + "' on node '"
                        + shelf.nodeId() + "'; give its staging path, or none (R92, R94)");
            }
            return volume;
        });
    }

    /**
     * Measures a volume.
     *
     * @param path one of the volume's paths
     * @param stagingPath the staging path; empty if the caller does not give one
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
     * Makes the node use the whole size of a volume; expands the volume itself if the controller does not expand volumes.
     *
     * @param volume a volume on this node
     * @param range the requested size; the empty message: the whole size
     * @param controllerExpands whether the controller expands volumes
     * @return the new size
     */
    public long grow(VolumeRecord volume, CapacityRange range, boolean controllerExpands) {
        if (controllerExpands && range.getRequiredBytes() > volume.bytes()) {
            throw CallRefusal.outOfRange("capacity_range: volume '" + volume.id() + "' has " + volume.bytes()
                    + " bytes; ControllerExpandVolume comes first (R83, R95)");
        }
        long bytes = volumes.expand(volume.id(), range, false, true);
        effects.grown(volume(volume.id()));
        return bytes;
    }
}
