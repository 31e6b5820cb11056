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
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.util.ArrayList;
import java.util.List;

/** The parts of volumes. Their confidential values go into a separate message, which is encrypted, and are merged into the row before it is read. */
final class VolumeParts {
    private final Sharing sharing;

    VolumeParts(Sharing sharing) {
        this.sharing = sharing;
    }

    static StateProto.VolumeSpec spec(VolumeSpec spec) {
        StateProto.VolumeSpec.Builder builder = StateProto.VolumeSpec.newBuilder()
                .setPluginId(spec.pluginId().value())
                .setName(spec.name());
        spec.requestedCapabilities()
                .forEach(capability -> builder.addRequestedCapabilities(Parts.capability(capability)));
        spec.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        if (!spec.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(Parts.mountOptions(spec.mountOptions()));
        }
        spec.capacityRange().ifPresent(range -> builder.setCapacityRange(Parts.capacityRange(range)));
        spec.contentSource().ifPresent(source -> builder.setContentSource(Parts.contentSource(source)));
        spec.sourceSnapshot().map(Snapshots::key).ifPresent(builder::setSourceSnapshot);
        spec.accessibilityRequirements()
                .ifPresent(needs -> builder.setAccessibilityRequirements(Parts.requirement(needs)));
        spec.declaredFencingPolicy().ifPresent(policy -> builder.setFencingPolicy(Parts.fencingPolicy(policy)));
        spec.sharedWith().forEach(namespace -> builder.addSharedWith(namespace.value()));
        return builder.build();
    }

    VolumeSpec spec(StateProto.VolumeSpec row, List<ValuesProto.Entry> secrets) {
        VolumeSpec.Builder builder = own(common(row).toBuilder(), row);
        return builder.secrets(Secrets.of(Values.entries(secrets))).restore();
    }

    static StateProto.ProviderFacts facts(ProviderFacts facts) {
        StateProto.ProviderFacts.Builder builder =
                StateProto.ProviderFacts.newBuilder().setCapacityBytes(facts.capacityBytes());
        facts.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        facts.accessibleTopology().forEach(topology -> builder.addAccessibleTopology(Values.topology(topology)));
        facts.contentSource().ifPresent(source -> builder.setContentSource(Parts.contentSource(source)));
        return builder.build();
    }

    ProviderFacts facts(StateProto.ProviderFacts row) {
        return own(common(row), row);
    }

    static StateProto.Claim claim(Claim claim) {
        StateProto.Claim.Builder builder = StateProto.Claim.newBuilder()
                .setAllocationId(claim.allocationId().value())
                .setNodeId(claim.nodeId().value())
                .setMode(claim.mode().name())
                .setCapability(Parts.capability(claim.capability()))
                .setState(claim.state().name())
                .setCreateIndex(claim.createIndex());
        claim.externalNodeId().map(ExternalNodeId::value).ifPresent(builder::setExternalNodeId);
        if (claim.takenIndex() != claim.createIndex()) {
            builder.setTakenIndex(claim.takenIndex());
        }
        if (!claim.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(Parts.mountOptions(claim.mountOptions()));
        }
        if (!claim.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(claim.retry()));
        }
        claim.operatorOverride().ifPresent(word -> builder.setOperatorOverride(Parts.override(word)));
        claim.formerVolume().map(Values::key).ifPresent(builder::setFormerVolume);
        builder.setAdopted(claim.adopted());
        return builder.build();
    }

    Claim claim(StateProto.Claim row) {
        if (!row.hasCapability()) {
            throw new IllegalArgumentException(
                    "the claim of allocation " + row.getAllocationId() + " has no capability");
        }
        Claim.Builder builder = Claim.builder(
                        AllocationId.of(row.getAllocationId()),
                        sharing.one(NodeId.of(row.getNodeId())),
                        Parts.name(ClaimMode.class, "mode", row.getMode()),
                        sharing.one(Parts.capability(row.getCapability())))
                .state(Parts.name(ClaimState.class, "state", row.getState()))
                .createIndex(row.getCreateIndex())
                .takenIndex(row.getTakenIndex())
                .adopted(row.getAdopted());
        if (row.hasExternalNodeId()) {
            builder.externalNodeId(sharing.one(ExternalNodeId.of(row.getExternalNodeId())));
        }
        if (row.hasMountOptions()) {
            builder.mountOptions(sharing.one(Values.mountOptions(row.getMountOptions())));
        }
        if (row.hasRetry()) {
            builder.retry(Parts.retry(row.getRetry()));
        }
        if (row.hasOperatorOverride()) {
            builder.operatorOverride(Parts.override(row.getOperatorOverride()));
        }
        if (row.hasFormerVolume()) {
            builder.formerVolume(Values.key(row.getFormerVolume()));
        }
        return builder.build();
    }

    static StateProto.FirstClaim firstClaim(FirstClaim claim) {
        return StateProto.FirstClaim.newBuilder()
                .setAllocationId(claim.allocationId().value())
                .setNodeId(claim.nodeId().value())
                .addAllTogether(claim.together().stream().map(Values::key).toList())
                .setKeepUnused(claim.keepUnused())
                .setEnded(claim.ended())
                .build();
    }

    FirstClaim firstClaim(StateProto.FirstClaim row) {
        return new FirstClaim(
                AllocationId.of(row.getAllocationId()),
                sharing.one(NodeId.of(row.getNodeId())),
                row.getTogetherList().stream().map(Values::key).toList(),
                row.getKeepUnused(),
                row.getEnded());
    }

    static StateProto.Attachment attachment(Attachment attachment) {
        StateProto.Attachment.Builder builder = StateProto.Attachment.newBuilder()
                .setNodeId(attachment.nodeId().value())
                .setReadonly(attachment.readonly())
                .setCapability(Parts.capability(attachment.capability()))
                .setState(attachment.state().name())
                .setCreateIndex(attachment.createIndex());
        attachment.externalNodeId().map(ExternalNodeId::value).ifPresent(builder::setExternalNodeId);
        if (!attachment.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(Parts.mountOptions(attachment.mountOptions()));
        }
        if (!attachment.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(attachment.retry()));
        }
        attachment.operatorOverride().ifPresent(word -> builder.setOperatorOverride(Parts.override(word)));
        return builder.build();
    }

    Attachment attachment(StateProto.Attachment row) {
        if (!row.hasCapability()) {
            throw new IllegalArgumentException("the attachment on node " + row.getNodeId() + " has no capability");
        }
        Attachment.Builder builder = Attachment.builder(
                        sharing.one(NodeId.of(row.getNodeId())), sharing.one(Parts.capability(row.getCapability())))
                .readonly(row.getReadonly())
                .state(Parts.name(AttachmentState.class, "state", row.getState()))
                .publishContext(PublishContext.of(Values.entries(row.getPublishContextList())))
                .createIndex(row.getCreateIndex());
        if (row.hasExternalNodeId()) {
            builder.externalNodeId(sharing.one(ExternalNodeId.of(row.getExternalNodeId())));
        }
        if (row.hasMountOptions()) {
            builder.mountOptions(sharing.one(Values.mountOptions(row.getMountOptions())));
        }
        if (row.hasRetry()) {
            builder.retry(Parts.retry(row.getRetry()));
        }
        if (row.hasOperatorOverride()) {
            builder.operatorOverride(Parts.override(row.getOperatorOverride()));
        }
        return builder.build();
    }

    /** Adds the confidential values of a specification to the message that is encrypted before it is written. */
    static void addConfidential(VolumeSpec spec, StateProto.Confidential.Builder builder) {
        builder.addAllSecrets(Values.entries(spec.secrets().asMap()));
        StateProto.VolumeSpec.Builder values = StateProto.VolumeSpec.newBuilder()
                .addAllParameters(Values.entries(spec.parameters()))
                .addAllMutableParameters(Values.entries(spec.mutableParameters()))
                .addAllVolumeContext(Values.entries(spec.volumeContext().asMap()));
        if (!spec.mountOptions().mountFlags().isEmpty()) {
            values.setMountOptions(Parts.mountFlags(spec.mountOptions()));
        }
        StateProto.VolumeSpec part = values.build();
        if (part.getSerializedSize() > 0) {
            builder.setSpec(part);
        }
    }

    /** Adds the confidential values of provider facts to the message that is encrypted before it is written. */
    static void addConfidential(ProviderFacts facts, StateProto.Confidential.Builder builder) {
        if (!facts.volumeContext().isEmpty()) {
            builder.setFacts(StateProto.ProviderFacts.newBuilder()
                    .addAllVolumeContext(Values.entries(facts.volumeContext().asMap())));
        }
    }

    /** Adds the confidential values of a claim to the message that is encrypted before it is written. */
    static void addConfidential(Claim claim, StateProto.Confidential.Builder builder) {
        if (!claim.mountOptions().mountFlags().isEmpty()) {
            builder.addClaims(StateProto.Claim.newBuilder()
                    .setAllocationId(claim.allocationId().value())
                    .setMountOptions(Parts.mountFlags(claim.mountOptions())));
        }
    }

    /** Adds the confidential values of an attachment to the message that is encrypted before it is written. */
    static void addConfidential(Attachment attachment, StateProto.Confidential.Builder builder) {
        boolean flags = !attachment.mountOptions().mountFlags().isEmpty();
        if (flags || !attachment.publishContext().isEmpty()) {
            StateProto.Attachment.Builder part = StateProto.Attachment.newBuilder()
                    .setNodeId(attachment.nodeId().value())
                    .addAllPublishContext(
                            Values.entries(attachment.publishContext().asMap()));
            if (flags) {
                part.setMountOptions(Parts.mountFlags(attachment.mountOptions()));
            }
            builder.addAttachments(part);
        }
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
        row.getRequestedCapabilitiesList().forEach(capability -> capabilities.add(Parts.capability(capability)));
        VolumeSpec.Builder builder = VolumeSpec.builder(PluginId.of(row.getPluginId()))
                .requestedCapabilities(capabilities)
                .parameters(Values.entries(row.getParametersList()))
                .mutableParameters(Values.entries(row.getMutableParametersList()))
                .volumeContext(VolumeContext.of(Values.entries(row.getVolumeContextList())));
        if (row.hasMountOptions()) {
            builder.mountOptions(Values.mountOptions(row.getMountOptions()));
        }
        if (row.hasCapacityRange()) {
            builder.capacityRange(Parts.capacityRange(row.getCapacityRange()));
        }
        if (row.hasContentSource()) {
            builder.contentSource(Parts.contentSource(row.getContentSource()));
        }
        if (row.hasSourceSnapshot()) {
            builder.sourceSnapshot(Snapshots.key(row.getSourceSnapshot()));
        }
        if (row.hasAccessibilityRequirements()) {
            builder.accessibilityRequirements(Parts.requirement(row.getAccessibilityRequirements()));
        }
        if (row.hasFencingPolicy()) {
            builder.fencingPolicy(Parts.fencingPolicy(row.getFencingPolicy()));
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
                .accessibleTopology(sharing.one(Parts.topologies(row.getAccessibleTopologyList())))
                .volumeContext(sharing.one(VolumeContext.of(Values.entries(row.getVolumeContextList()))));
        if (row.hasContentSource()) {
            builder.contentSource(Parts.contentSource(row.getContentSource()));
        }
        ProviderFacts read = builder.build();
        return read.equals(ProviderFacts.none()) ? ProviderFacts.none() : read;
    }
}
