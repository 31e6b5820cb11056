package io.csi4j.state;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import org.jspecify.annotations.Nullable;

/** Writes volumes. Their confidential values pass through the cipher. */
final class VolumeToProto {
    private final ConfidentialParts confidential;

    VolumeToProto(@Nullable SecretsCipher cipher) {
        this.confidential = new ConfidentialParts(cipher);
    }

    StateProto.Volume volume(Volume volume) {
        StateProto.Volume.Builder builder = StateProto.Volume.newBuilder()
                .setNamespace(volume.key().namespace().value())
                .setVolumeId(volume.key().volumeId().value())
                .setSpec(spec(volume.spec()))
                .setOrigin(volume.origin().name())
                .setPhase(volume.phase().name())
                .setCreateIndex(volume.createIndex())
                .setModifyIndex(volume.modifyIndex())
                .setCreatedAt(PartsToProto.time(volume.createdAt()));
        if (!volume.modifiedAt().equals(volume.createdAt())) {
            builder.setModifiedAt(PartsToProto.time(volume.modifiedAt()));
        }
        if (!volume.facts().equals(ProviderFacts.none())) {
            builder.setFacts(facts(volume.facts()));
        }
        volume.claims().forEach(claim -> builder.addClaims(claim(claim)));
        volume.attachments().forEach(attachment -> builder.addAttachments(attachment(attachment)));
        volume.expansion().map(ChangesToProto::expansion).ifPresent(builder::setExpansion);
        volume.modification().map(ChangesToProto::modification).ifPresent(builder::setModification);
        if (!volume.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(volume.retry()));
        }
        StateProto.Confidential clear = confidential(volume);
        if (clear.getSerializedSize() > 0) {
            builder.setConfidential(confidential.hide(volume.key(), clear));
        }
        return builder.build();
    }

    /** Returns the values that are stored encrypted; empty: the volume has none. */
    static StateProto.Confidential confidential(Volume volume) {
        VolumeSpec spec = volume.spec();
        StateProto.Confidential.Builder builder = StateProto.Confidential.newBuilder()
                .addAllSecrets(PartsToProto.entries(spec.secrets().asMap()));
        StateProto.VolumeSpec.Builder specValues = StateProto.VolumeSpec.newBuilder()
                .addAllParameters(PartsToProto.entries(spec.parameters()))
                .addAllMutableParameters(PartsToProto.entries(spec.mutableParameters()))
                .addAllVolumeContext(PartsToProto.entries(spec.volumeContext().asMap()));
        if (!spec.mountOptions().mountFlags().isEmpty()) {
            specValues.setMountOptions(PartsToProto.mountFlags(spec.mountOptions()));
        }
        StateProto.VolumeSpec specPart = specValues.build();
        if (specPart.getSerializedSize() > 0) {
            builder.setSpec(specPart);
        }
        if (!volume.facts().volumeContext().asMap().isEmpty()) {
            builder.setFacts(StateProto.ProviderFacts.newBuilder()
                    .addAllVolumeContext(
                            PartsToProto.entries(volume.facts().volumeContext().asMap())));
        }
        for (Claim claim : volume.claims()) {
            if (!claim.mountOptions().mountFlags().isEmpty()) {
                builder.addClaims(StateProto.Claim.newBuilder()
                        .setAllocationId(claim.allocationId().value())
                        .setMountOptions(PartsToProto.mountFlags(claim.mountOptions())));
            }
        }
        for (Attachment attachment : volume.attachments()) {
            boolean flags = !attachment.mountOptions().mountFlags().isEmpty();
            if (flags || !attachment.publishContext().asMap().isEmpty()) {
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
        volume.modification().map(ChangesToProto::confidential).ifPresent(builder::setModification);
        return builder.build();
    }

    private static StateProto.VolumeSpec spec(VolumeSpec spec) {
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

    private static StateProto.ProviderFacts facts(ProviderFacts facts) {
        StateProto.ProviderFacts.Builder builder =
                StateProto.ProviderFacts.newBuilder().setCapacityBytes(facts.capacityBytes());
        facts.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        facts.accessibleTopology().forEach(topology -> builder.addAccessibleTopology(PartsToProto.topology(topology)));
        facts.contentSource().ifPresent(source -> builder.setContentSource(PartsToProto.contentSource(source)));
        return builder.build();
    }

    private static StateProto.Claim claim(Claim claim) {
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
        return builder.build();
    }

    private static StateProto.Attachment attachment(Attachment attachment) {
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
}
