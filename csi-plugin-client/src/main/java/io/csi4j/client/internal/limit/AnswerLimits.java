package io.csi4j.client.internal.limit;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The limits of the responses of plugins. */
public final class AnswerLimits {
    private static final FieldLimits LIMITS = limits();

    private AnswerLimits() {}

    private static FieldLimits limits() {
        List<Descriptor> responses = CsiProto.getDescriptor().getMessageTypes().stream()
                .filter(message -> message.getName().endsWith("Response"))
                .toList();
        return FieldLimits.of(responses)
                .value(InputLimit.PLUGIN_NAME, "csi.v1.GetPluginInfoResponse.name")
                .value(InputLimit.NODE_ID, "csi.v1.NodeGetInfoResponse.node_id")
                .value(
                        InputLimit.ID,
                        "csi.v1.Volume.volume_id",
                        "csi.v1.VolumeHealth.volume_id",
                        "csi.v1.VolumeContentSource.VolumeSource.volume_id",
                        "csi.v1.VolumeContentSource.SnapshotSource.snapshot_id",
                        "csi.v1.Snapshot.snapshot_id",
                        "csi.v1.Snapshot.source_volume_id",
                        "csi.v1.Snapshot.group_snapshot_id",
                        "csi.v1.VolumeGroupSnapshot.group_snapshot_id")
                .value(
                        InputLimit.TOKEN,
                        "csi.v1.ListVolumesResponse.next_token",
                        "csi.v1.ListSnapshotsResponse.next_token",
                        "csi.v1.ControllerListVolumeHealthResponse.next_token")
                .value(InputLimit.TOPOLOGY_PART, "csi.v1.Topology.segments")
                // Texts for people are cut when they are read.
                .value(
                        InputLimit.MESSAGE,
                        "csi.v1.ValidateVolumeCapabilitiesResponse.message",
                        "csi.v1.VolumeCondition.message",
                        "csi.v1.VolumeHealth.VolumeHealthEntry.reason",
                        "csi.v1.VolumeHealth.VolumeHealthEntry.message",
                        "csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth.reason",
                        "csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth.message")
                .count(
                        InputLimit.CAPABILITIES,
                        "csi.v1.GetPluginCapabilitiesResponse.capabilities",
                        "csi.v1.ControllerGetCapabilitiesResponse.capabilities",
                        "csi.v1.GroupControllerGetCapabilitiesResponse.capabilities",
                        "csi.v1.NodeGetCapabilitiesResponse.capabilities",
                        "csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed.volume_capabilities")
                .count(
                        InputLimit.TOPOLOGIES,
                        "csi.v1.Volume.accessible_topology",
                        "csi.v1.Snapshot.accessible_topology")
                .count(
                        InputLimit.ENTRIES,
                        "csi.v1.ListVolumesResponse.entries",
                        "csi.v1.ListSnapshotsResponse.entries",
                        "csi.v1.ControllerListVolumeHealthResponse.entries")
                .count(InputLimit.SNAPSHOTS, "csi.v1.VolumeGroupSnapshot.snapshots")
                .count(
                        InputLimit.NODES,
                        "csi.v1.ListVolumesResponse.VolumeStatus.published_node_ids",
                        "csi.v1.ControllerGetVolumeResponse.VolumeStatus.published_node_ids")
                .value(
                        InputLimit.NODE_ID,
                        "csi.v1.ListVolumesResponse.VolumeStatus.published_node_ids",
                        "csi.v1.ControllerGetVolumeResponse.VolumeStatus.published_node_ids")
                .count(
                        InputLimit.RANGES,
                        "csi.v1.GetMetadataAllocatedResponse.block_metadata",
                        "csi.v1.GetMetadataDeltaResponse.block_metadata")
                .count(
                        InputLimit.MEASURES,
                        "csi.v1.NodeGetVolumeStatsResponse.usage",
                        "csi.v1.VolumeHealth.health_statuses",
                        "csi.v1.NodeGetStorageHealthResponse.backend_health")
                .count(InputLimit.FLAGS, "csi.v1.VolumeCapability.MountVolume.mount_flags")
                .value(InputLimit.MOUNT_FLAGS, "csi.v1.VolumeCapability.MountVolume.mount_flags")
                .build();
    }

    /**
     * Returns a decoder that refuses a response with a field beyond its limit.
     *
     * @param decoder decodes a response within the limits
     */
    public static <A, R> Function<A, R> checked(Function<? super A, ? extends R> decoder) {
        return answer -> {
            if (answer instanceof Message message) {
                check(message);
            }
            return decoder.apply(answer);
        };
    }

    /**
     * Checks a response.
     *
     * @throws UnusableAnswerException if a field is beyond its limit. For CreateVolume it has the volume's id, unless
     *     that is beyond its limit, too
     */
    public static void check(Message answer) {
        Optional<FieldLimits.Excess> excess = LIMITS.excess(answer);
        if (excess.isPresent()) {
            throw new UnusableAnswerException(excess.get().field(), excess.get().problem(), createdVolume(answer));
        }
    }

    /** Returns whether all fields of a response are within their limits. */
    public static boolean holdsFor(Message answer) {
        return LIMITS.excess(answer).isEmpty();
    }

    private static Optional<String> createdVolume(Message answer) {
        return answer instanceof CreateVolumeResponse created
                ? Optional.of(created.getVolume().getVolumeId())
                        .filter(id -> !id.isEmpty() && !InputLimit.ID.isExceededBy(id))
                : Optional.empty();
    }
}
