package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;

/**
 * Builds requests about a volume from stored values only, so that each retry sends the identical request (R29). Every
 * request uses the volume's external id.
 */
public final class RequestFactory {
    private RequestFactory() {}

    /**
     * Builds ControllerPublishVolume (R61) from the stored attachment. The attachment has the read-only flag, which
     * depends on the plugin's capability PUBLISH_READONLY (R42).
     *
     * @throws CsiException if the storage provider's id of the node is not known
     */
    public static ControllerPublishVolumeRequest publish(Volume volume, Attachment attachment, Secrets secrets) {
        return ControllerPublishVolumeRequest.builder(
                        volume.remoteId(),
                        node(volume, attachment),
                        attachment.capability().toVolumeCapability(attachment.mountOptions()))
                .readonly(attachment.readonly())
                .secrets(secrets)
                .volumeContext(volume.volumeContext())
                .build();
    }

    /**
     * Builds ControllerUnpublishVolume, always for one node (R66).
     *
     * @throws CsiException if the storage provider's id of the node is not known; an empty id would mean all nodes
     */
    public static ControllerUnpublishVolumeRequest unpublish(Volume volume, Attachment attachment, Secrets secrets) {
        return ControllerUnpublishVolumeRequest.builder(volume.remoteId(), node(volume, attachment))
                .secrets(secrets)
                .build();
    }

    /**
     * Returns the node's external id from the attachment. In rows of older formats, the attachment has no such id, and
     * a claim on the node has it.
     */
    private static ExternalNodeId node(Volume volume, Attachment attachment) {
        if (attachment.externalNodeId().isPresent()) {
            return attachment.externalNodeId().get();
        }
        for (Claim claim : volume.claims().on(attachment.nodeId())) {
            if (claim.externalNodeId().isPresent()) {
                return claim.externalNodeId().get();
            }
        }
        throw new CsiException("volume " + volume.key() + " on node " + attachment.nodeId()
                + ": the provider's id of the node was never recorded, so nothing can be sent; detach it at the"
                + " provider and override the stored attachment");
    }

    /** Builds CreateVolume (R51-R54) from the stored specification and the stored name. */
    public static CreateVolumeRequest create(Volume volume, Secrets secrets) {
        VolumeSpec spec = volume.spec();
        CreateVolumeRequest.Builder builder = CreateVolumeRequest.builder(volume.name(), capabilities(spec))
                .parameters(spec.parameters())
                .mutableParameters(spec.mutableParameters())
                .secrets(secrets);
        spec.capacityRange().ifPresent(builder::capacityRange);
        spec.contentSource().ifPresent(builder::volumeContentSource);
        spec.accessibilityRequirements().ifPresent(builder::accessibilityRequirements);
        return builder.build();
    }

    /** Builds DeleteVolume (R59). */
    public static DeleteVolumeRequest delete(Volume volume, Secrets secrets) {
        return DeleteVolumeRequest.builder(volume.remoteId()).secrets(secrets).build();
    }

    /** Builds ValidateVolumeCapabilities (R69) for all capabilities of the specification. */
    public static ValidateVolumeCapabilitiesRequest validate(Volume volume, Secrets secrets) {
        VolumeSpec spec = volume.spec();
        return ValidateVolumeCapabilitiesRequest.builder(volume.remoteId(), capabilities(spec))
                .volumeContext(volume.volumeContext())
                .parameters(spec.parameters())
                .mutableParameters(spec.mutableParameters())
                .secrets(secrets)
                .build();
    }

    /**
     * Builds ControllerExpandVolume (R82). If the volume is in use, the request has the capability with which it is
     * used. If it is not in use and the specification has exactly one capability, the request has that one. Otherwise
     * the request has no capability.
     */
    public static ControllerExpandVolumeRequest expand(Volume volume, CapacityRange range, Secrets secrets) {
        ControllerExpandVolumeRequest.Builder builder =
                ControllerExpandVolumeRequest.builder(volume.remoteId(), range).secrets(secrets);
        List<RequestedCapability> requested = volume.spec().requestedCapabilities();
        volume.currentCapability()
                .or(() ->
                        requested.stream().filter(only -> requested.size() == 1).findFirst())
                .ifPresent(used -> builder.volumeCapability(
                        used.toVolumeCapability(volume.spec().mountOptions())));
        return builder.build();
    }

    /** Builds ControllerModifyVolume (R74) with the changed keys only. */
    public static ControllerModifyVolumeRequest modify(Volume volume, Map<String, String> changes, Secrets secrets) {
        return ControllerModifyVolumeRequest.builder(volume.remoteId(), changes)
                .secrets(secrets)
                .build();
    }

    private static List<VolumeCapability> capabilities(VolumeSpec spec) {
        return spec.requestedCapabilities().stream()
                .map(capability -> capability.toVolumeCapability(spec.mountOptions()))
                .toList();
    }
}
