package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import java.util.List;
import java.util.Optional;

/** Decodes volumes and their status (R57, R71), and encodes what a volume is created from and with. */
final class VolumeCodec {
    private VolumeCodec() {}

    static io.csi4j.proto.csi.v1.VolumeContentSource write(VolumeContentSource source) {
        io.csi4j.proto.csi.v1.VolumeContentSource.Builder wire = io.csi4j.proto.csi.v1.VolumeContentSource.newBuilder();
        if (source instanceof VolumeContentSource.SnapshotSource snapshot) {
            wire.getSnapshotBuilder().setSnapshotId(snapshot.snapshotId().value());
        } else if (source instanceof VolumeContentSource.VolumeSource volume) {
            wire.getVolumeBuilder().setVolumeId(volume.volumeId().value());
        }
        return wire.build();
    }

    /** Reads the optional content source of a volume (R57); empty if the source has no id, or if this version does not know its kind. */
    private static Optional<VolumeContentSource> read(io.csi4j.proto.csi.v1.VolumeContentSource wire) {
        return switch (wire.getTypeCase()) {
            case SNAPSHOT ->
                Optional.of(wire.getSnapshot().getSnapshotId())
                        .filter(id -> !id.isEmpty())
                        .map(id -> VolumeContentSource.snapshot(SnapshotId.of(id)));
            case VOLUME ->
                Optional.of(wire.getVolume().getVolumeId())
                        .filter(id -> !id.isEmpty())
                        .map(id -> VolumeContentSource.volume(ExternalVolumeId.of(id)));
            case TYPE_NOT_SET -> Optional.empty();
        };
    }

    static io.csi4j.proto.csi.v1.CapacityRange write(CapacityRange range) {
        return io.csi4j.proto.csi.v1.CapacityRange.newBuilder()
                .setRequiredBytes(range.requiredBytes())
                .setLimitBytes(range.limitBytes())
                .build();
    }

    static ExternalVolume read(io.csi4j.proto.csi.v1.Volume wire) {
        ExternalVolume.Builder volume = ExternalVolume.builder(
                        ExternalVolumeId.of(AnswerCheck.given("volumeId", wire.getVolumeId())))
                .capacityBytes(AnswerCheck.notNegative("capacityBytes", wire.getCapacityBytes()))
                .volumeContext(VolumeContext.of(wire.getVolumeContextMap()))
                .accessibleTopology(TopologyCodec.readAll("accessibleTopology", wire.getAccessibleTopologyList()));
        if (wire.hasContentSource()) {
            read(wire.getContentSource()).ifPresent(volume::contentSource);
        }
        return volume.build();
    }

    @SuppressWarnings("deprecation") // told by plugins until CSI 1.12
    static ExternalVolumeStatus read(io.csi4j.proto.csi.v1.ListVolumesResponse.VolumeStatus wire) {
        return new ExternalVolumeStatus(
                nodes(wire.getPublishedNodeIdsList()),
                wire.hasVolumeCondition() ? Optional.of(read(wire.getVolumeCondition())) : Optional.empty());
    }

    @SuppressWarnings("deprecation") // told by plugins until CSI 1.12
    static ExternalVolumeStatus read(io.csi4j.proto.csi.v1.ControllerGetVolumeResponse.VolumeStatus wire) {
        return new ExternalVolumeStatus(
                nodes(wire.getPublishedNodeIdsList()),
                wire.hasVolumeCondition() ? Optional.of(read(wire.getVolumeCondition())) : Optional.empty());
    }

    /**
     * Reads the ids of the nodes to which a volume is published. Skips empty strings, which some plugins return for a volume without nodes.
     */
    private static List<ExternalNodeId> nodes(List<String> wire) {
        return wire.stream().filter(id -> !id.isEmpty()).map(ExternalNodeId::of).toList();
    }

    @SuppressWarnings("deprecation") // told by plugins until CSI 1.12
    static VolumeCondition read(io.csi4j.proto.csi.v1.VolumeCondition wire) {
        return new VolumeCondition(wire.getAbnormal(), AnswerCheck.text(wire.getMessage()));
    }
}
