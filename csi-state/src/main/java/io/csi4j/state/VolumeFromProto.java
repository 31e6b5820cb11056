package io.csi4j.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads volumes of the present format. What volumes have in common is read once and shared: restoring needs little
 * more than the memory of the state it makes.
 */
final class VolumeFromProto {
    private final Sharing sharing;
    private final @Nullable SecretsCipher cipher;
    private final CommonParts<VolumeSpec> specs = new CommonParts<>(
            this::commonSpec,
            StateProto.VolumeSpec.NAME_FIELD_NUMBER,
            StateProto.VolumeSpec.EXTERNAL_VOLUME_ID_FIELD_NUMBER,
            StateProto.VolumeSpec.SECRETS_FIELD_NUMBER);
    private final CommonParts<ProviderFacts> facts =
            new CommonParts<>(this::commonFacts, StateProto.ProviderFacts.EXTERNAL_VOLUME_ID_FIELD_NUMBER);

    VolumeFromProto(Sharing sharing, @Nullable SecretsCipher cipher) {
        this.sharing = sharing;
        this.cipher = cipher;
    }

    Volume volume(StateProto.VolumeOutline row) throws IOException {
        VolumeKey key = new VolumeKey(sharing.one(Namespace.of(row.getNamespace())), VolumeId.of(row.getVolumeId()));
        Instant createdAt = sharing.one(PartsFromProto.time(row.getCreatedAt()));
        Volume.Builder builder = Volume.builder(key, spec(key, row.getSpec()), row.getCreateIndex(), createdAt)
                .origin(PartsFromProto.name(VolumeOrigin.class, "origin", row.getOrigin()))
                .phase(PartsFromProto.name(VolumePhase.class, "phase", row.getPhase()))
                .modified(
                        row.getModifyIndex(),
                        row.hasModifiedAt() ? PartsFromProto.time(row.getModifiedAt()) : createdAt);
        if (row.hasFacts()) {
            builder.facts(facts(row.getFacts()));
        }
        if (row.getClaimsCount() > 0) {
            List<Claim> claims = new ArrayList<>(row.getClaimsCount());
            row.getClaimsList().forEach(claim -> claims.add(claim(claim)));
            Claims set = Claims.of(claims);
            if (set.size() < claims.size()) {
                throw new IllegalArgumentException("volume " + key + " has two claims of one allocation");
            }
            builder.claims(set);
        }
        if (row.getAttachmentsCount() > 0) {
            List<Attachment> attachments = new ArrayList<>(row.getAttachmentsCount());
            row.getAttachmentsList().forEach(attachment -> attachments.add(attachment(attachment)));
            Attachments set = Attachments.of(attachments);
            if (set.size() < attachments.size()) {
                throw new IllegalArgumentException("volume " + key + " has two attachments on one node");
            }
            builder.attachments(set);
        }
        if (row.hasExpansion()) {
            builder.expansion(ChangesFromProto.expansion(row.getExpansion()));
        }
        if (row.hasModification()) {
            builder.modification(ChangesFromProto.modification(row.getModification()));
        }
        return builder.build();
    }

    private VolumeSpec spec(VolumeKey key, ByteString message) throws IOException {
        VolumeSpec common = specs.read(message);
        if (!specs.hasOwn()) {
            return common;
        }
        StateProto.VolumeSpec own = StateProto.VolumeSpec.parseFrom(specs.own());
        VolumeSpec.Builder builder = common.toBuilder().name(own.getName());
        if (own.hasExternalVolumeId()) {
            builder.externalVolumeId(ExternalVolumeId.of(own.getExternalVolumeId()));
        }
        if (own.hasSecrets()) {
            builder.secrets(reveal(key, own.getSecrets()));
        }
        return builder.restore();
    }

    private VolumeSpec commonSpec(CodedInputStream fields) throws IOException {
        StateProto.VolumeSpec row = StateProto.VolumeSpec.parseFrom(fields);
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

    private Secrets reveal(VolumeKey key, StateProto.HiddenSecrets hidden) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets encrypted with key " + hidden.getKeyId()
                    + ", and there is no cipher to open them; set StateStoreOptions.secretsCipher");
        }
        byte[] clear = decrypt(cipher, key, hidden);
        try {
            return Secrets.of(
                    PartsFromProto.entries(StateProto.Topology.parseFrom(clear).getSegmentsList()));
        } catch (InvalidProtocolBufferException e) {
            // Without the cause: it may quote what was decrypted.
            throw new CsiException("Secrets of volume " + key + " opened with key " + hidden.getKeyId()
                    + ", but are not what was encrypted; check that the key id names the right key");
        }
    }

    /** Names the volume. The file is not to blame for what a cipher throws, and what else it says may be anything. */
    private static byte[] decrypt(SecretsCipher cipher, VolumeKey key, StateProto.HiddenSecrets hidden) {
        try {
            return cipher.decrypt(hidden.getKeyId(), hidden.getHidden().toByteArray(), VolumeToProto.place(key));
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " encrypted with key " + hidden.getKeyId()
                    + " could not be opened: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    private ProviderFacts facts(ByteString message) throws IOException {
        ProviderFacts common = facts.read(message);
        if (!facts.hasOwn()) {
            return common;
        }
        StateProto.ProviderFacts own = StateProto.ProviderFacts.parseFrom(facts.own());
        return common.toBuilder()
                .externalVolumeId(ExternalVolumeId.of(own.getExternalVolumeId()))
                .build();
    }

    private ProviderFacts commonFacts(CodedInputStream fields) throws IOException {
        StateProto.ProviderFacts row = StateProto.ProviderFacts.parseFrom(fields);
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

    private Claim claim(StateProto.Claim row) {
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
                .takenIndex(row.getTakenIndex());
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

    private Attachment attachment(StateProto.Attachment row) {
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
