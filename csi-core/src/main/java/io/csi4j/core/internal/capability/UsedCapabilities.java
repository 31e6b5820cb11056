package io.csi4j.core.internal.capability;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.internal.capability.CapabilityRow.Checked;
import io.csi4j.core.internal.capability.CapabilityRow.Need;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rules for ways of using a volume that are permitted only if the plugin has a certain capability: the access modes
 * SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER, and the mount group.
 */
final class UsedCapabilities {
    private UsedCapabilities() {}

    static List<Checked> rows() {
        List<Checked> rows = new ArrayList<>();
        add(
                rows,
                Rpc.CREATE_VOLUME,
                "volumeCapabilities",
                CreateVolumeRequest.class,
                CreateVolumeRequest::volumeCapabilities);
        add(
                rows,
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                "volumeCapability",
                ControllerPublishVolumeRequest.class,
                request -> List.of(request.volumeCapability()));
        add(
                rows,
                Rpc.VALIDATE_VOLUME_CAPABILITIES,
                "volumeCapabilities",
                ValidateVolumeCapabilitiesRequest.class,
                ValidateVolumeCapabilitiesRequest::volumeCapabilities);
        add(
                rows,
                Rpc.GET_CAPACITY,
                "volumeCapabilities",
                GetCapacityRequest.class,
                GetCapacityRequest::volumeCapabilities);
        add(
                rows,
                Rpc.CONTROLLER_EXPAND_VOLUME,
                "volumeCapability",
                ControllerExpandVolumeRequest.class,
                request -> request.volumeCapability().stream().toList());
        add(
                rows,
                Rpc.NODE_STAGE_VOLUME,
                "volumeCapability",
                NodeStageVolumeRequest.class,
                request -> List.of(request.volumeCapability()));
        add(
                rows,
                Rpc.NODE_PUBLISH_VOLUME,
                "volumeCapability",
                NodePublishVolumeRequest.class,
                request -> List.of(request.volumeCapability()));
        add(
                rows,
                Rpc.NODE_EXPAND_VOLUME,
                "volumeCapability",
                NodeExpandVolumeRequest.class,
                request -> request.volumeCapability().stream().toList());
        return rows;
    }

    private static <M extends CsiRequest> void add(
            List<Checked> rows, Rpc rpc, String field, Class<M> type, Function<M, List<VolumeCapability>> used) {
        boolean node = rpc.service() == RpcService.NODE;
        WireEnum modes = node ? NodeCapability.SINGLE_NODE_MULTI_WRITER : ControllerCapability.SINGLE_NODE_MULTI_WRITER;
        rows.add(row(rpc, field + ".accessMode", modes, type, used, UsedCapabilities::isOfOneNode));
        rows.add(row(
                rpc,
                field + ".volumeMountGroup",
                NodeCapability.VOLUME_MOUNT_GROUP,
                type,
                used,
                UsedCapabilities::hasGroup));
    }

    private static <M extends CsiRequest> Checked row(
            Rpc rpc,
            String field,
            WireEnum capability,
            Class<M> type,
            Function<M, List<VolumeCapability>> used,
            Predicate<VolumeCapability> needs) {
        return CapabilityTable.checked(
                new CapabilityRow(rpc, field, Need.ONLY_WITH, capability),
                type,
                request -> used.apply(request).stream().anyMatch(needs));
    }

    private static boolean isOfOneNode(VolumeCapability capability) {
        return capability.accessMode() == VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER
                || capability.accessMode() == VolumeAccessMode.SINGLE_NODE_MULTI_WRITER;
    }

    private static boolean hasGroup(VolumeCapability capability) {
        return capability.accessType() instanceof MountVolume mount
                && !mount.volumeMountGroup().isEmpty();
    }
}
