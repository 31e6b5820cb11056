package io.csi4j.state.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
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
 * Reads volumes of formats 2 and 3. Parts that volumes have in common are decoded once and shared, so that a restore needs little more
 * memory than the restored state.
 */
public final class VolumeFromProto {
    private static final int SLOT_BITS = 12;

    private final Sharing sharing;
    private final VolumeParts parts;
    private final ConfidentialParts confidential;
    private final CommonParts<VolumeSpec> specs;
    private final CommonParts<ProviderFacts> facts;

    /** Creates a reader with a large cache, for many volumes. */
    public VolumeFromProto(Sharing sharing, @Nullable SecretsCipher cipher) {
        this(sharing, cipher, SLOT_BITS);
    }

    private VolumeFromProto(Sharing sharing, @Nullable SecretsCipher cipher, int slotBits) {
        this.sharing = sharing;
        this.parts = new VolumeParts(sharing);
        this.confidential = new ConfidentialParts(cipher);
        this.specs = new CommonParts<>(
                slotBits,
                fields -> parts.common(StateProto.VolumeSpec.parseFrom(fields)),
                StateProto.VolumeSpec.NAME_FIELD_NUMBER,
                StateProto.VolumeSpec.EXTERNAL_VOLUME_ID_FIELD_NUMBER,
                StateProto.VolumeSpec.SECRETS_FIELD_NUMBER);
        this.facts = new CommonParts<>(
                slotBits,
                fields -> parts.common(StateProto.ProviderFacts.parseFrom(fields)),
                StateProto.ProviderFacts.EXTERNAL_VOLUME_ID_FIELD_NUMBER);
    }

    /** Creates a reader with a small cache, for a few volumes that have little in common. */
    static VolumeFromProto ofFew(@Nullable SecretsCipher cipher) {
        return new VolumeFromProto(NoSharing.INSTANCE, cipher, 1);
    }

    public Volume volume(StateProto.VolumeOutline row) throws IOException {
        VolumeKey key = new VolumeKey(sharing.one(Namespace.of(row.getNamespace())), VolumeId.of(row.getVolumeId()));
        StateProto.Confidential hidden = row.hasConfidential()
                ? confidential.reveal(key, ConfidentialParts.ROW, row.getConfidential())
                : StateProto.Confidential.getDefaultInstance();
        checkParts(row, hidden);
        Instant createdAt = sharing.one(Values.time(row.getCreatedAt()));
        Volume.Builder builder = Volume.builder(key, spec(key, row.getSpec(), hidden), row.getCreateIndex(), createdAt)
                .origin(Parts.name(VolumeOrigin.class, "origin", row.getOrigin()))
                .phase(Parts.name(VolumePhase.class, "phase", row.getPhase()))
                .modified(row.getModifyIndex(), row.hasModifiedAt() ? Values.time(row.getModifiedAt()) : createdAt);
        if (row.hasFacts()) {
            builder.facts(facts(merged(row.getFacts(), hidden.hasFacts(), hidden.getFacts())));
        }
        if (row.getClaimsCount() > 0) {
            List<Claim> claims = new ArrayList<>(row.getClaimsCount());
            Map<String, StateProto.Claim> values = byId(hidden.getClaimsList(), StateProto.Claim::getAllocationId);
            row.getClaimsList()
                    .forEach(claim -> claims.add(parts.claim(merged(claim, values.get(claim.getAllocationId())))));
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
                            attachments.add(parts.attachment(merged(attachment, values.get(attachment.getNodeId())))));
            Attachments set = Attachments.of(attachments);
            if (set.size() < attachments.size()) {
                throw new IllegalArgumentException("volume " + key + " has two attachments on one node");
            }
            builder.attachments(set);
        }
        if (row.hasExpansion()) {
            builder.expansion(Changes.expansion(row.getExpansion()));
        }
        if (row.hasRetry()) {
            builder.retry(Parts.retry(row.getRetry()));
        }
        if (row.hasClassOrigin()) {
            builder.classOrigin(sharing.one(ClassParts.origin(row.getClassOrigin())));
        }
        if (row.getUnsettledTargetsCount() > 0) {
            builder.unsettledTargets(row.getUnsettledTargetsList());
        }
        if (row.hasFirstClaim()) {
            builder.firstClaim(parts.firstClaim(row.getFirstClaim()));
        }
        if (row.hasOwnerAllocationId()) {
            builder.owner(new VolumeOwner.OfAllocation(AllocationId.of(row.getOwnerAllocationId())));
        }
        if (row.hasWorkloadOwner()) {
            builder.owner(Owners.owner(row.getWorkloadOwner()));
        }
        builder.extraMetadata(row.getExtraMetadata());
        if (row.hasFormerVolumeId()) {
            builder.formerKey(new VolumeKey(key.namespace(), VolumeId.of(row.getFormerVolumeId())));
        }
        if (row.hasVerification()) {
            builder.verification(Verifications.verification(row.getVerification()));
        }
        if (row.hasModification()) {
            builder.modification(Changes.modification(
                    merged(row.getModification(), hidden.hasModification() ? hidden.getModification() : null)));
        }
        return builder.build();
    }

    /** Merges two encoded messages by concatenation, which is how protobuf defines the merge. */
    private static ByteString merged(ByteString row, boolean has, MessageLite values) {
        return has ? row.concat(values.toByteString()) : row;
    }

    @SuppressWarnings("unchecked")
    static <M extends MessageLite> M merged(M row, @Nullable M values) {
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

    /**
     * Checks that the encoded volume has the claim, attachment or other part to which each decrypted value belongs. A
     * value without its part would be lost.
     */
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
        VolumeSpec.Builder builder = VolumeParts.own(common.toBuilder(), own);
        if (own.hasSecrets()) {
            builder.secrets(confidential.revealSecrets(key, own.getSecrets()));
        } else if (hidden.getSecretsCount() > 0) {
            builder.secrets(Secrets.of(Values.entries(hidden.getSecretsList())));
        }
        return builder.restore();
    }

    private ProviderFacts facts(ByteString message) throws IOException {
        ProviderFacts common = facts.read(message);
        return facts.hasOwn() ? VolumeParts.own(common, StateProto.ProviderFacts.parseFrom(facts.own())) : common;
    }
}
