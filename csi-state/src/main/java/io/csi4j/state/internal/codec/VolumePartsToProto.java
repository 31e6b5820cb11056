package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;

/** Writes the parts of volumes; their confidential values go into a separate message, which is encrypted. */
final class VolumePartsToProto {
    private VolumePartsToProto() {}

    static StateProto.VolumeSpec spec(VolumeSpec spec) {
        StateProto.VolumeSpec.Builder builder = StateProto.VolumeSpec.newBuilder()
                .setPluginId(spec.pluginId().value())
                .setName(spec.name());
        spec.requestedCapabilities()
                .forEach(capability -> builder.addRequestedCapabilities(PartsToProto.capability(capability)));
        spec.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        if (!spec.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(PartsToProto.mountOptions(spec.mountOptions()));
        }
        spec.capacityRange().ifPresent(range -> builder.setCapacityRange(PartsToProto.capacityRange(range)));
        spec.contentSource().ifPresent(source -> builder.setContentSource(PartsToProto.contentSource(source)));
        spec.accessibilityRequirements()
                .ifPresent(needs -> builder.setAccessibilityRequirements(PartsToProto.requirement(needs)));
        spec.declaredFencingPolicy().ifPresent(policy -> builder.setFencingPolicy(PartsToProto.fencingPolicy(policy)));
        spec.sharedWith().forEach(namespace -> builder.addSharedWith(namespace.value()));
        return builder.build();
    }

    static StateProto.ProviderFacts facts(ProviderFacts facts) {
        StateProto.ProviderFacts.Builder builder =
                StateProto.ProviderFacts.newBuilder().setCapacityBytes(facts.capacityBytes());
        facts.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        facts.accessibleTopology().forEach(topology -> builder.addAccessibleTopology(PartsToProto.topology(topology)));
        facts.contentSource().ifPresent(source -> builder.setContentSource(PartsToProto.contentSource(source)));
        return builder.build();
    }

    static StateProto.Claim claim(Claim claim) {
        StateProto.Claim.Builder builder = StateProto.Claim.newBuilder()
                .setAllocationId(claim.allocationId().value())
                .setNodeId(claim.nodeId().value())
                .setMode(claim.mode().name())
                .setCapability(PartsToProto.capability(claim.capability()))
                .setState(claim.state().name())
                .setCreateIndex(claim.createIndex());
        claim.externalNodeId().map(ExternalNodeId::value).ifPresent(builder::setExternalNodeId);
        if (claim.takenIndex() != claim.createIndex()) {
            builder.setTakenIndex(claim.takenIndex());
        }
        if (!claim.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(PartsToProto.mountOptions(claim.mountOptions()));
        }
        if (!claim.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(claim.retry()));
        }
        claim.operatorOverride().ifPresent(word -> builder.setOperatorOverride(PartsToProto.override(word)));
        claim.formerVolume().map(PartsToProto::name).ifPresent(builder::setFormerVolume);
        builder.setAdopted(claim.adopted());
        return builder.build();
    }

    static StateProto.Attachment attachment(Attachment attachment) {
        StateProto.Attachment.Builder builder = StateProto.Attachment.newBuilder()
                .setNodeId(attachment.nodeId().value())
                .setReadonly(attachment.readonly())
                .setCapability(PartsToProto.capability(attachment.capability()))
                .setState(attachment.state().name())
                .setCreateIndex(attachment.createIndex());
        attachment.externalNodeId().map(ExternalNodeId::value).ifPresent(builder::setExternalNodeId);
        if (!attachment.mountOptions().withoutFlags().isEmpty()) {
            builder.setMountOptions(PartsToProto.mountOptions(attachment.mountOptions()));
        }
        if (!attachment.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(attachment.retry()));
        }
        attachment.operatorOverride().ifPresent(word -> builder.setOperatorOverride(PartsToProto.override(word)));
        return builder.build();
    }

    /** Adds the confidential values of a specification to the message that is encrypted before it is written. */
    static void addConfidential(VolumeSpec spec, StateProto.Confidential.Builder builder) {
        builder.addAllSecrets(PartsToProto.entries(spec.secrets().asMap()));
        StateProto.VolumeSpec.Builder values = StateProto.VolumeSpec.newBuilder()
                .addAllParameters(PartsToProto.entries(spec.parameters()))
                .addAllMutableParameters(PartsToProto.entries(spec.mutableParameters()))
                .addAllVolumeContext(PartsToProto.entries(spec.volumeContext().asMap()));
        if (!spec.mountOptions().mountFlags().isEmpty()) {
            values.setMountOptions(PartsToProto.mountFlags(spec.mountOptions()));
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
                    .addAllVolumeContext(
                            PartsToProto.entries(facts.volumeContext().asMap())));
        }
    }

    /** Adds the confidential values of a claim to the message that is encrypted before it is written. */
    static void addConfidential(Claim claim, StateProto.Confidential.Builder builder) {
        if (!claim.mountOptions().mountFlags().isEmpty()) {
            builder.addClaims(StateProto.Claim.newBuilder()
                    .setAllocationId(claim.allocationId().value())
                    .setMountOptions(PartsToProto.mountFlags(claim.mountOptions())));
        }
    }

    /** Adds the confidential values of an attachment to the message that is encrypted before it is written. */
    static void addConfidential(Attachment attachment, StateProto.Confidential.Builder builder) {
        boolean flags = !attachment.mountOptions().mountFlags().isEmpty();
        if (flags || !attachment.publishContext().isEmpty()) {
            StateProto.Attachment.Builder part = StateProto.Attachment.newBuilder()
                    .setNodeId(attachment.nodeId().value())
                    .addAllPublishContext(
                            PartsToProto.entries(attachment.publishContext().asMap()));
            if (flags) {
                part.setMountOptions(PartsToProto.mountFlags(attachment.mountOptions()));
            }
            builder.addAttachments(part);
        }
    }
}
