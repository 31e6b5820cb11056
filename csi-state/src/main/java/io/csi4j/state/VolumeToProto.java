package io.csi4j.state;

import com.google.protobuf.ByteString;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes volumes. Their secrets pass through the cipher. */
final class VolumeToProto {
    private final @Nullable SecretsCipher cipher;

    VolumeToProto(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
    }

    StateProto.Volume volume(Volume volume) {
        StateProto.Volume.Builder builder = StateProto.Volume.newBuilder()
                .setNamespace(volume.key().namespace().value())
                .setVolumeId(volume.key().volumeId().value())
                .setSpec(spec(volume.key(), volume.spec()))
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
        return builder.build();
    }

    private StateProto.VolumeSpec spec(VolumeKey key, VolumeSpec spec) {
        StateProto.VolumeSpec.Builder builder = StateProto.VolumeSpec.newBuilder()
                .setPluginId(spec.pluginId().value())
                .setName(spec.name())
                .addAllParameters(PartsToProto.entries(spec.parameters()))
                .addAllMutableParameters(PartsToProto.entries(spec.mutableParameters()))
                .addAllVolumeContext(PartsToProto.entries(spec.volumeContext().asMap()));
        spec.requestedCapabilities()
                .forEach(capability -> builder.addRequestedCapabilities(PartsToProto.capability(capability)));
        spec.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        if (!spec.mountOptions().isEmpty()) {
            builder.setMountOptions(PartsToProto.mountOptions(spec.mountOptions()));
        }
        if (!spec.secrets().isEmpty()) {
            builder.setSecrets(hide(key, spec.secrets()));
        }
        spec.capacityRange().ifPresent(range -> builder.setCapacityRange(PartsToProto.capacityRange(range)));
        spec.contentSource().ifPresent(source -> builder.setContentSource(PartsToProto.contentSource(source)));
        spec.accessibilityRequirements()
                .ifPresent(needs -> builder.setAccessibilityRequirements(PartsToProto.requirement(needs)));
        spec.declaredFencingPolicy().ifPresent(policy -> builder.setFencingPolicy(PartsToProto.fencingPolicy(policy)));
        spec.sharedWith().forEach(namespace -> builder.addSharedWith(namespace.value()));
        return builder.build();
    }

    private StateProto.HiddenSecrets hide(VolumeKey key, Secrets secrets) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets, and there is no cipher to hide them with; set"
                    + " StateStoreOptions.secretsCipher, for example to an AesGcmSecretsCipher");
        }
        StateProto.Topology entries = StateProto.Topology.newBuilder()
                .addAllSegments(PartsToProto.entries(secrets.asMap()))
                .build();
        return StateProto.HiddenSecrets.newBuilder()
                .setKeyId(cipher.keyId())
                .setHidden(ByteString.copyFrom(encrypt(cipher, key, entries.toByteArray())))
                .build();
    }

    /** Names the volume. What a cipher says beyond its contract may be anything, even what it was to hide. */
    private static byte[] encrypt(SecretsCipher cipher, VolumeKey key, byte[] clear) {
        try {
            return cipher.encrypt(clear, place(key));
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " could not be hidden: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /** What secrets are bound to: they do not open under another volume's key. */
    static byte[] place(VolumeKey key) {
        return Keys.VOLUME_KEYS.text(key).getBytes(StandardCharsets.UTF_8);
    }

    private static StateProto.ProviderFacts facts(ProviderFacts facts) {
        StateProto.ProviderFacts.Builder builder = StateProto.ProviderFacts.newBuilder()
                .setCapacityBytes(facts.capacityBytes())
                .addAllVolumeContext(PartsToProto.entries(facts.volumeContext().asMap()));
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
        if (!claim.mountOptions().equals(MountOptions.none())) {
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
                .addAllPublishContext(
                        PartsToProto.entries(attachment.publishContext().asMap()))
                .setCreateIndex(attachment.createIndex());
        attachment.externalNodeId().map(ExternalNodeId::value).ifPresent(builder::setExternalNodeId);
        if (!attachment.mountOptions().equals(MountOptions.none())) {
            builder.setMountOptions(PartsToProto.mountOptions(attachment.mountOptions()));
        }
        if (!attachment.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(attachment.retry()));
        }
        attachment.operatorOverride().ifPresent(word -> builder.setOperatorOverride(PartsToProto.override(word)));
        return builder.build();
    }
}
