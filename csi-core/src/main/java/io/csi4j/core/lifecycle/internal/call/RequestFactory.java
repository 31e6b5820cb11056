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
 * The requests about a volume, from what is stored and nothing else: the same state gives the same
 * request, so that a repeat is identical (R29). The volume goes by its remote id in every one (S3).
 */
public final class RequestFactory {
    private RequestFactory() {}

    /**
     * ControllerPublishVolume (R61). All fields are those of the intent: whether it is read-only was decided
     * there, by whether the plugin offers PUBLISH_READONLY (R42).
     *
     * @throws CsiException if the provider's id of the node is not known
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
     * ControllerUnpublishVolume, always for one node (R66).
     *
     * @throws CsiException if the provider's id of the node is not known: empty would mean all nodes
     */
    public static ControllerUnpublishVolumeRequest unpublish(Volume volume, Attachment attachment, Secrets secrets) {
        return ControllerUnpublishVolumeRequest.builder(volume.remoteId(), node(volume, attachment))
                .secrets(secrets)
                .build();
    }

    /** The id in the intent; in records of older formats, that of a claim on the node (S6, S19). */
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
                + " provider and override the attachment on record");
    }

    /** CreateVolume (R51-R54): what is declared, under the name in the intent. */
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

    /** DeleteVolume (R59). */
    public static DeleteVolumeRequest delete(Volume volume, Secrets secrets) {
        return DeleteVolumeRequest.builder(volume.remoteId()).secrets(secrets).build();
    }

    /** ValidateVolumeCapabilities (R69): all that is declared about the volume. */
    public static ValidateVolumeCapabilitiesRequest validate(Volume volume, Secrets secrets) {
        VolumeSpec spec = volume.spec();
        return ValidateVolumeCapabilitiesRequest.builder(volume.remoteId(), capabilities(spec))
                .volumeContext(volume.volumeContext())
                .parameters(spec.parameters())
                .mutableParameters(spec.mutableParameters())
                .secrets(secrets)
                .build();
    }

    /** ControllerExpandVolume (R82), with the capability in use, or the only one there is. */
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

    /** ControllerModifyVolume (R74): only the keys that are to change. */
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
