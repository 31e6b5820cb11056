package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import java.util.ArrayList;
import java.util.List;

/** Reads the parts of volumes, after their confidential values were merged into them. */
final class VolumePartsFromProto {
    private final Sharing sharing;

    VolumePartsFromProto(Sharing sharing) {
        this.sharing = sharing;
    }

    VolumeSpec spec(StateProto.VolumeSpec row, List<StateProto.Entry> secrets) {
        VolumeSpec.Builder builder = own(common(row).toBuilder(), row);
        return builder.secrets(Secrets.of(PartsFromProto.entries(secrets))).restore();
    }

    ProviderFacts facts(StateProto.ProviderFacts row) {
        return own(common(row), row);
    }

    /** Adds the name and the external id of one volume to the common fields of its specification. */
    static VolumeSpec.Builder own(VolumeSpec.Builder builder, StateProto.VolumeSpec row) {
        builder.name(row.getName());
        return row.hasExternalVolumeId()
                ? builder.externalVolumeId(ExternalVolumeId.of(row.getExternalVolumeId()))
                : builder;
    }

    /** Adds the external id of one volume to the provider facts that many volumes share. */
    static ProviderFacts own(ProviderFacts common, StateProto.ProviderFacts row) {
        return row.hasExternalVolumeId()
                ? common.toBuilder()
                        .externalVolumeId(ExternalVolumeId.of(row.getExternalVolumeId()))
                        .build()
                : common;
    }

    /**
     * Decodes the part of a specification that many volumes share. {@link #own} adds the name, the external id and the
     * secrets.
     */
    VolumeSpec common(StateProto.VolumeSpec row) {
        List<RequestedCapability> capabilities = new ArrayList<>(row.getRequestedCapabilitiesCount());
        row.getRequestedCapabilitiesList()
                .forEach(capability -> capabilities.add(PartsFromProto.capability(capability)));
        VolumeSpec.Builder builder = VolumeSpec.builder(PluginId.of(row.getPluginId()))
                .requestedCapabilities(capabilities)
                .parameters(PartsFromProto.entries(row.getParametersList()))
                .mutableParameters(PartsFromProto.entries(row.getMutableParametersList()))
                .volumeContext(VolumeContext.of(PartsFromProto.entries(row.getVolumeContextList())));
        if (row.hasMountOptions()) {
            builder.mountOptions(PartsFromProto.mountOptions(row.getMountOptions()));
        }
        if (row.hasCapacityRange()) {
            builder.capacityRange(PartsFromProto.capacityRange(row.getCapacityRange()));
        }
        if (row.hasContentSource()) {
            builder.contentSource(PartsFromProto.contentSource(row.getContentSource()));
        }
        if (row.hasAccessibilityRequirements()) {
            builder.accessibilityRequirements(PartsFromProto.requirement(row.getAccessibilityRequirements()));
        }
        if (row.hasFencingPolicy()) {
            builder.fencingPolicy(PartsFromProto.fencingPolicy(row.getFencingPolicy()));
        }
        if (row.getSharedWithCount() > 0) {
            builder.sharedWith(row.getSharedWithList().stream()
                    .map(namespace -> sharing.one(Namespace.of(namespace)))
                    .toList());
        }
        return builder.restore().sharing(sharing);
    }

    /** Reads provider facts without the external id. */
    ProviderFacts common(StateProto.ProviderFacts row) {
        ProviderFacts.Builder builder = ProviderFacts.builder()
                .capacityBytes(row.getCapacityBytes())
                .accessibleTopology(sharing.one(PartsFromProto.topologies(row.getAccessibleTopologyList())))
                .volumeContext(sharing.one(VolumeContext.of(PartsFromProto.entries(row.getVolumeContextList()))));
        if (row.hasContentSource()) {
            builder.contentSource(PartsFromProto.contentSource(row.getContentSource()));
        }
        ProviderFacts read = builder.build();
        return read.equals(ProviderFacts.none()) ? ProviderFacts.none() : read;
    }

    Claim claim(StateProto.Claim row) {
        if (!row.hasCapability()) {
            throw new IllegalArgumentException(
                    "the claim of allocation " + row.getAllocationId() + " has no capability");
        }
        Claim.Builder builder = Claim.builder(
                        AllocationId.of(row.getAllocationId()),
                        sharing.one(NodeId.of(row.getNodeId())),
                        PartsFromProto.name(ClaimMode.class, "mode", row.getMode()),
                        sharing.one(PartsFromProto.capability(row.getCapability())))
                .state(PartsFromProto.name(ClaimState.class, "state", row.getState()))
                .createIndex(row.getCreateIndex())
                .takenIndex(row.getTakenIndex())
                .adopted(row.getAdopted());
        if (row.hasExternalNodeId()) {
            builder.externalNodeId(sharing.one(ExternalNodeId.of(row.getExternalNodeId())));
        }
        if (row.hasMountOptions()) {
            builder.mountOptions(sharing.one(PartsFromProto.mountOptions(row.getMountOptions())));
        }
        if (row.hasRetry()) {
            builder.retry(PartsFromProto.retry(row.getRetry()));
        }
        if (row.hasOperatorOverride()) {
            builder.operatorOverride(PartsFromProto.override(row.getOperatorOverride()));
        }
        if (row.hasFormerVolume()) {
            builder.formerVolume(PartsFromProto.key(row.getFormerVolume()));
        }
        return builder.build();
    }

    Attachment attachment(StateProto.Attachment row) {
        if (!row.hasCapability()) {
            throw new IllegalArgumentException("the attachment on node " + row.getNodeId() + " has no capability");
        }
        Attachment.Builder builder = Attachment.builder(
                        sharing.one(NodeId.of(row.getNodeId())),
                        sharing.one(PartsFromProto.capability(row.getCapability())))
                .readonly(row.getReadonly())
                .state(PartsFromProto.name(AttachmentState.class, "state", row.getState()))
                .publishContext(PublishContext.of(PartsFromProto.entries(row.getPublishContextList())))
                .createIndex(row.getCreateIndex());
        if (row.hasExternalNodeId()) {
            builder.externalNodeId(sharing.one(ExternalNodeId.of(row.getExternalNodeId())));
        }
        if (row.hasMountOptions()) {
            builder.mountOptions(sharing.one(PartsFromProto.mountOptions(row.getMountOptions())));
        }
        if (row.hasRetry()) {
            builder.retry(PartsFromProto.retry(row.getRetry()));
        }
        if (row.hasOperatorOverride()) {
            builder.operatorOverride(PartsFromProto.override(row.getOperatorOverride()));
        }
        return builder.build();
    }
}
