package io.csi4j.client.internal.codec;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RelayedRequests;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;

/** Decodes relayed requests of the Controller service; see {@link RelayedRequests}. */
public final class RelayedControllerRequests {
    private RelayedControllerRequests() {}

    public static CsiRequest read(Rpc rpc, Message wire, RequestReader in) {
        return switch (rpc) {
            case CONTROLLER_GET_CAPABILITIES -> CsiRequest.empty();
            case CREATE_VOLUME -> createVolume((io.csi4j.proto.csi.v1.CreateVolumeRequest) wire, in);
            case DELETE_VOLUME -> deleteVolume((io.csi4j.proto.csi.v1.DeleteVolumeRequest) wire, in);
            case CONTROLLER_PUBLISH_VOLUME -> publish((io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest) wire, in);
            case CONTROLLER_UNPUBLISH_VOLUME ->
                unpublish((io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest) wire, in);
            case VALIDATE_VOLUME_CAPABILITIES ->
                validate((io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest) wire, in);
            case LIST_VOLUMES -> listVolumes((io.csi4j.proto.csi.v1.ListVolumesRequest) wire, in);
            case GET_CAPACITY -> getCapacity((io.csi4j.proto.csi.v1.GetCapacityRequest) wire, in);
            case CREATE_SNAPSHOT -> createSnapshot((io.csi4j.proto.csi.v1.CreateSnapshotRequest) wire, in);
            case DELETE_SNAPSHOT -> deleteSnapshot((io.csi4j.proto.csi.v1.DeleteSnapshotRequest) wire, in);
            case LIST_SNAPSHOTS -> listSnapshots((io.csi4j.proto.csi.v1.ListSnapshotsRequest) wire, in);
            case GET_SNAPSHOT -> getSnapshot((io.csi4j.proto.csi.v1.GetSnapshotRequest) wire, in);
            case CONTROLLER_EXPAND_VOLUME -> expand((io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest) wire, in);
            case CONTROLLER_GET_VOLUME -> getVolume((io.csi4j.proto.csi.v1.ControllerGetVolumeRequest) wire, in);
            case CONTROLLER_MODIFY_VOLUME -> modify((io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest) wire, in);
            case CONTROLLER_LIST_VOLUME_HEALTH ->
                listHealth((io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest) wire, in);
            case CONTROLLER_GET_VOLUME_HEALTH ->
                getHealth((io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest) wire, in);
            default -> throw new IllegalArgumentException(rpc.csiName() + " is not of the Controller service");
        };
    }

    private static CsiRequest createVolume(io.csi4j.proto.csi.v1.CreateVolumeRequest wire, RequestReader in) {
        CreateVolumeRequest.Builder request = CreateVolumeRequest.builder(
                        wire.getName(), in.capabilities(wire.getVolumeCapabilitiesList()))
                .parameters(wire.getParametersMap())
                .secrets(Secrets.of(wire.getSecretsMap()))
                .mutableParameters(wire.getModifiableParametersMap());
        in.range(wire.hasCapacityRange(), wire.getCapacityRange()).ifPresent(request::capacityRange);
        if (wire.hasVolumeContentSource()) {
            VolumeContentSource source = in.source(wire.getVolumeContentSource());
            if (source != null) {
                request.volumeContentSource(source);
            }
        }
        if (wire.hasAccessibilityRequirements()) {
            request.accessibilityRequirements(RequestReader.topology(wire.getAccessibilityRequirements()));
        }
        return in.done(request::build);
    }

    private static CsiRequest deleteVolume(io.csi4j.proto.csi.v1.DeleteVolumeRequest wire, RequestReader in) {
        DeleteVolumeRequest.Builder request = DeleteVolumeRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest publish(io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest wire, RequestReader in) {
        ControllerPublishVolumeRequest.Builder request = ControllerPublishVolumeRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of),
                        in.id("nodeId", wire.getNodeId(), ExternalNodeId::of),
                        in.requiredCapability(wire.hasVolumeCapability(), wire.getVolumeCapability()))
                .readonly(wire.getReadonly())
                .secrets(Secrets.of(wire.getSecretsMap()))
                .volumeContext(VolumeContext.of(wire.getVolumeContextMap()));
        return in.done(request::build);
    }

    private static CsiRequest unpublish(io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest wire, RequestReader in) {
        ExternalVolumeId volumeId = in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of);
        // A request without a node id unpublishes the volume from all nodes (R66).
        ControllerUnpublishVolumeRequest.Builder request = wire.getNodeId().isEmpty()
                ? ControllerUnpublishVolumeRequest.fromAllNodes(volumeId)
                : ControllerUnpublishVolumeRequest.builder(volumeId, ExternalNodeId.of(wire.getNodeId()));
        request.secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest validate(io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest wire, RequestReader in) {
        ValidateVolumeCapabilitiesRequest.Builder request = ValidateVolumeCapabilitiesRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of),
                        in.capabilities(wire.getVolumeCapabilitiesList()))
                .volumeContext(VolumeContext.of(wire.getVolumeContextMap()))
                .parameters(wire.getParametersMap())
                .secrets(Secrets.of(wire.getSecretsMap()))
                .mutableParameters(wire.getModifiableParametersMap());
        return in.done(request::build);
    }

    private static CsiRequest listVolumes(io.csi4j.proto.csi.v1.ListVolumesRequest wire, RequestReader in) {
        ListVolumesRequest.Builder request =
                ListVolumesRequest.builder().maxEntries(wire.getMaxEntries()).startingToken(wire.getStartingToken());
        return in.done(request::build);
    }

    private static CsiRequest getCapacity(io.csi4j.proto.csi.v1.GetCapacityRequest wire, RequestReader in) {
        GetCapacityRequest.Builder request = GetCapacityRequest.builder()
                .volumeCapabilities(in.capabilities(wire.getVolumeCapabilitiesList()))
                .parameters(wire.getParametersMap());
        if (wire.hasAccessibleTopology()) {
            request.accessibleTopology(RequestReader.topology(wire.getAccessibleTopology()));
        }
        return in.done(request::build);
    }

    private static CsiRequest createSnapshot(io.csi4j.proto.csi.v1.CreateSnapshotRequest wire, RequestReader in) {
        CreateSnapshotRequest.Builder request = CreateSnapshotRequest.builder(
                        in.id("sourceVolumeId", wire.getSourceVolumeId(), ExternalVolumeId::of), wire.getName())
                .secrets(Secrets.of(wire.getSecretsMap()))
                .parameters(wire.getParametersMap());
        if (wire.hasAccessibilityRequirements()) {
            request.accessibilityRequirements(RequestReader.topology(wire.getAccessibilityRequirements()));
        }
        return in.done(request::build);
    }

    private static CsiRequest deleteSnapshot(io.csi4j.proto.csi.v1.DeleteSnapshotRequest wire, RequestReader in) {
        DeleteSnapshotRequest.Builder request = DeleteSnapshotRequest.builder(
                        in.id("snapshotId", wire.getSnapshotId(), SnapshotId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest listSnapshots(io.csi4j.proto.csi.v1.ListSnapshotsRequest wire, RequestReader in) {
        ListSnapshotsRequest.Builder request = ListSnapshotsRequest.builder()
                .maxEntries(wire.getMaxEntries())
                .startingToken(wire.getStartingToken())
                .secrets(Secrets.of(wire.getSecretsMap()));
        if (!wire.getSourceVolumeId().isEmpty()) {
            request.sourceVolumeId(ExternalVolumeId.of(wire.getSourceVolumeId()));
        }
        if (!wire.getSnapshotId().isEmpty()) {
            request.snapshotId(SnapshotId.of(wire.getSnapshotId()));
        }
        return in.done(request::build);
    }

    private static CsiRequest getSnapshot(io.csi4j.proto.csi.v1.GetSnapshotRequest wire, RequestReader in) {
        GetSnapshotRequest.Builder request = GetSnapshotRequest.builder(
                        in.id("snapshotId", wire.getSnapshotId(), SnapshotId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest expand(io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest wire, RequestReader in) {
        ControllerExpandVolumeRequest.Builder request = ControllerExpandVolumeRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of),
                        in.requiredRange(wire.hasCapacityRange(), wire.getCapacityRange()))
                .secrets(Secrets.of(wire.getSecretsMap()));
        if (wire.hasVolumeCapability()) {
            request.volumeCapability(in.capability("volumeCapability", wire.getVolumeCapability()));
        }
        return in.done(request::build);
    }

    private static CsiRequest getVolume(io.csi4j.proto.csi.v1.ControllerGetVolumeRequest wire, RequestReader in) {
        ControllerGetVolumeRequest.Builder request =
                ControllerGetVolumeRequest.builder(in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of));
        return in.done(request::build);
    }

    private static CsiRequest modify(io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest wire, RequestReader in) {
        ControllerModifyVolumeRequest.Builder request = ControllerModifyVolumeRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of), wire.getModifiableParametersMap())
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest listHealth(
            io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest wire, RequestReader in) {
        ControllerListVolumeHealthRequest.Builder request = ControllerListVolumeHealthRequest.builder()
                .maxEntries(wire.getMaxEntries())
                .startingToken(wire.getStartingToken())
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest getHealth(io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest wire, RequestReader in) {
        ControllerGetVolumeHealthRequest.Builder request = ControllerGetVolumeHealthRequest.builder(
                        in.id("volumeId", wire.getVolumeId(), ExternalVolumeId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }
}
