package io.csi4j.state.internal.codec;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import org.jspecify.annotations.Nullable;

/** Writes volumes. Their confidential values pass through the cipher. */
public final class VolumeToProto {
    private final ConfidentialParts confidential;

    public VolumeToProto(@Nullable SecretsCipher cipher) {
        this.confidential = new ConfidentialParts(cipher);
    }

    public StateProto.Volume volume(Volume volume) {
        StateProto.Volume.Builder builder = StateProto.Volume.newBuilder()
                .setNamespace(volume.key().namespace().value())
                .setVolumeId(volume.key().volumeId().value())
                .setSpec(VolumeParts.spec(volume.spec()))
                .setOrigin(volume.origin().name())
                .setPhase(volume.phase().name())
                .setCreateIndex(volume.createIndex())
                .setModifyIndex(volume.modifyIndex())
                .setCreatedAt(Values.time(volume.createdAt()));
        if (!volume.modifiedAt().equals(volume.createdAt())) {
            builder.setModifiedAt(Values.time(volume.modifiedAt()));
        }
        if (!volume.facts().equals(ProviderFacts.none())) {
            builder.setFacts(VolumeParts.facts(volume.facts()));
        }
        volume.claims().forEach(claim -> builder.addClaims(VolumeParts.claim(claim)));
        volume.attachments().forEach(attachment -> builder.addAttachments(VolumeParts.attachment(attachment)));
        volume.expansion().map(Changes::expansion).ifPresent(builder::setExpansion);
        volume.modification().map(Changes::modification).ifPresent(builder::setModification);
        if (!volume.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(volume.retry()));
        }
        volume.classOrigin().map(ClassParts::origin).ifPresent(builder::setClassOrigin);
        builder.addAllUnsettledTargets(volume.unsettledTargets());
        volume.firstClaim().map(VolumeParts::firstClaim).ifPresent(builder::setFirstClaim);
        volume.owner()
                .flatMap(VolumeOwner::ofAllocation)
                .map(AllocationId::value)
                .ifPresent(builder::setOwnerAllocationId);
        volume.owner().flatMap(VolumeOwner::ofWorkload).map(Owners::owner).ifPresent(builder::setWorkloadOwner);
        builder.setExtraMetadata(volume.extraMetadata());
        volume.formerKey().map(key -> key.volumeId().value()).ifPresent(builder::setFormerVolumeId);
        volume.verification().map(Verifications::verification).ifPresent(builder::setVerification);
        StateProto.Confidential clear = confidentialValues(volume);
        if (clear.getSerializedSize() > 0) {
            builder.setConfidential(confidential.hide(volume.key(), ConfidentialParts.ROW, clear));
        }
        return builder.build();
    }

    /** Returns the confidential values of a volume, which are stored encrypted; an empty message if it has none. */
    public static StateProto.Confidential confidentialValues(Volume volume) {
        StateProto.Confidential.Builder builder = StateProto.Confidential.newBuilder();
        VolumeParts.addConfidential(volume.spec(), builder);
        VolumeParts.addConfidential(volume.facts(), builder);
        volume.claims().forEach(claim -> VolumeParts.addConfidential(claim, builder));
        volume.attachments().forEach(attachment -> VolumeParts.addConfidential(attachment, builder));
        volume.modification().map(Changes::confidentialValues).ifPresent(builder::setModification);
        return builder.build();
    }
}
