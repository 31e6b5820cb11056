package io.csi4j.state.internal.codec;

import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.proto.state.v1.StateProto;
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
                .setSpec(VolumePartsToProto.spec(volume.spec()))
                .setOrigin(volume.origin().name())
                .setPhase(volume.phase().name())
                .setCreateIndex(volume.createIndex())
                .setModifyIndex(volume.modifyIndex())
                .setCreatedAt(PartsToProto.time(volume.createdAt()));
        if (!volume.modifiedAt().equals(volume.createdAt())) {
            builder.setModifiedAt(PartsToProto.time(volume.modifiedAt()));
        }
        if (!volume.facts().equals(ProviderFacts.none())) {
            builder.setFacts(VolumePartsToProto.facts(volume.facts()));
        }
        volume.claims().forEach(claim -> builder.addClaims(VolumePartsToProto.claim(claim)));
        volume.attachments().forEach(attachment -> builder.addAttachments(VolumePartsToProto.attachment(attachment)));
        volume.expansion().map(ChangesToProto::expansion).ifPresent(builder::setExpansion);
        volume.modification().map(ChangesToProto::modification).ifPresent(builder::setModification);
        if (!volume.retry().equals(Retry.none())) {
            builder.setRetry(PartsToProto.retry(volume.retry()));
        }
        StateProto.Confidential clear = confidentialValues(volume);
        if (clear.getSerializedSize() > 0) {
            builder.setConfidential(confidential.hide(volume.key(), ConfidentialParts.ROW, clear));
        }
        return builder.build();
    }

    /** Returns the confidential values of a volume, which are stored encrypted; an empty message if it has none. */
    public static StateProto.Confidential confidentialValues(Volume volume) {
        StateProto.Confidential.Builder builder = StateProto.Confidential.newBuilder();
        VolumePartsToProto.addConfidential(volume.spec(), builder);
        VolumePartsToProto.addConfidential(volume.facts(), builder);
        volume.claims().forEach(claim -> VolumePartsToProto.addConfidential(claim, builder));
        volume.attachments().forEach(attachment -> VolumePartsToProto.addConfidential(attachment, builder));
        volume.modification().map(ChangesToProto::confidentialValues).ifPresent(builder::setModification);
        return builder.build();
    }
}
