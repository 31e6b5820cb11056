package io.csi4j.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.MessageLite;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads volumes of formats 2 and 3. Common parts are read once and shared, so that restoring needs little more memory than the restored state.
 */
final class VolumeFromProto {
    private final Sharing sharing;
    private final ConfidentialParts confidential;
    private final CommonParts<VolumeSpec> specs = new CommonParts<>(
            this::commonSpec,
            StateProto.VolumeSpec.NAME_FIELD_NUMBER,
            StateProto.VolumeSpec.EXTERNAL_VOLUME_ID_FIELD_NUMBER,
            StateProto.VolumeSpec.SECRETS_FIELD_NUMBER);
    private final CommonParts<ProviderFacts> facts =
            new CommonParts<>(this::commonFacts, StateProto.ProviderFacts.EXTERNAL_VOLUME_ID_FIELD_NUMBER);

    VolumeFromProto(Sharing sharing, @Nullable SecretsCipher cipher) {
        this.sharing = sharing;
        this.confidential = new ConfidentialParts(cipher);
    }

    Volume volume(StateProto.VolumeOutline row) throws IOException {
        VolumeKey key = new VolumeKey(sharing.one(Namespace.of(row.getNamespace())), VolumeId.of(row.getVolumeId()));
        StateProto.Confidential hidden = row.hasConfidential()
                ? confidential.reveal(key, row.getConfidential())
                : StateProto.Confidential.getDefaultInstance();
        checkParts(row, hidden);
        Instant createdAt = sharing.one(PartsFromProto.time(row.getCreatedAt()));
        Volume.Builder builder = Volume.builder(key, spec(key, row.getSpec(), hidden), row.getCreateIndex(), createdAt)
                .origin(PartsFromProto.name(VolumeOrigin.class, "origin", row.getOrigin()))
                .phase(PartsFromProto.name(VolumePhase.class, "phase", row.getPhase()))
                .modified(
                        row.getModifyIndex(),
                        row.hasModifiedAt() ? PartsFromProto.time(row.getModifiedAt()) : createdAt);
        if (row.hasFacts()) {
            builder.facts(facts(merged(row.getFacts(), hidden.hasFacts(), hidden.getFacts())));
        }
        if (row.getClaimsCount() > 0) {
            List<Claim> claims = new ArrayList<>(row.getClaimsCount());
            Map<String, StateProto.Claim> values = byId(hidden.getClaimsList(), StateProto.Claim::getAllocationId);
            row.getClaimsList().forEach(claim -> claims.add(claim(merged(claim, values.get(claim.getAllocationId())))));
            Claims set = Claims.of(claims);
            if (set.size() < claims.size()) {
                throw new IllegalArgumentException("volume " + key + " has two claims of one allocation");
            }
            builder.claims(set);
        }
        if (row.getAttachmentsCount() > 0) {
            List<Attachment> attachments = new ArrayList<>(row.getAttachmentsCount());
            Map<String, StateProto.Attachment> values =
                    byId(hidden.getAttachmentsList(), StateProto.Attachment::getNodeId);
            row.getAttachmentsList()
                    .forEach(attachment ->
                            attachments.add(attachment(merged(attachment, values.get(attachment.getNodeId())))));
            Attachments set = Attachments.of(attachments);
            if (set.size() < attachments.size()) {
                throw new IllegalArgumentException("volume " + key + " has two attachments on one node");
            }
            builder.attachments(set);
        }
        if (row.hasExpansion()) {
            builder.expansion(ChangesFromProto.expansion(row.getExpansion()));
        }
        if (row.hasRetry()) {
            builder.retry(PartsFromProto.retry(row.getRetry()));
        }
        if (row.hasModification()) {
            builder.modification(ChangesFromProto.modification(
                    merged(row.getModification(), hidden.hasModification() ? hidden.getModification() : null)));
        }
        return builder.build();
    }

    /** Merges two messages, which in protobuf is their concatenation. */
    private static ByteString merged(ByteString row, boolean has, MessageLite values) {
        return has ? row.concat(values.toByteString()) : row;
    }

    @SuppressWarnings("unchecked")
    private static <M extends MessageLite> M merged(M row, @Nullable M values) {
        return values == null ? row : (M) row.toBuilder().mergeFrom(values).build();
    }

    private static <M> Map<String, M> byId(List<M> parts, Function<M, String> id) {
        if (parts.isEmpty()) {
            return Map.of();
        }
        Map<String, M> map = new HashMap<>();
        parts.forEach(part -> map.put(id.apply(part), part));
        if (map.size() < parts.size()) {
            throw new IllegalArgumentException("a part of the volume has its confidential values twice");
        }
        return map;
    }

    /** Checks that each confidential value has its part, because it would otherwise be lost. */
    private static void checkParts(StateProto.VolumeOutline row, StateProto.Confidential hidden) {
        boolean fits = (row.hasFacts() || !hidden.hasFacts())
                && (row.hasModification() || !hidden.hasModification())
                && has(hidden.getClaimsList(), row.getClaimsList(), StateProto.Claim::getAllocationId)
                && has(hidden.getAttachmentsList(), row.getAttachmentsList(), StateProto.Attachment::getNodeId);
        if (!fits) {
            throw new IllegalArgumentException("a confidential value belongs to a part that the volume does not have");
        }
    }

    private static <M> boolean has(List<M> values, List<M> parts, Function<M, String> id) {
        return values.isEmpty()
                || parts.stream()
                        .map(id)
                        .collect(Collectors.toSet())
                        .containsAll(values.stream().map(id).toList());
    }

    private VolumeSpec spec(VolumeKey key, ByteString message, StateProto.Confidential hidden) throws IOException {
        VolumeSpec common = specs.read(merged(message, hidden.hasSpec(), hidden.getSpec()));
        if (!specs.hasOwn() && hidden.getSecretsCount() == 0) {
            return common;
        }
        StateProto.VolumeSpec own = StateProto.VolumeSpec.parseFrom(specs.own());
        VolumeSpec.Builder builder = common.toBuilder().name(own.getName());
        if (own.hasExternalVolumeId()) {
            builder.externalVolumeId(ExternalVolumeId.of(own.getExternalVolumeId()));
        }
        if (own.hasSecrets()) {
            builder.secrets(confidential.revealSecrets(key, own.getSecrets()));
        } else if (hidden.getSecretsCount() > 0) {
            builder.secrets(Secrets.of(PartsFromProto.entries(hidden.getSecretsList())));
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
