package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The claims and attachments that a forgotten volume may have left on nodes. An operator forgot a volume that was still mounted or attached
 * somewhere, so no row of a volume has its claims and attachments any more; this row has them. When a volume with the
 * same plugin and external id is added to the state, under any key, it takes over these claims and attachments, and the
 * engine releases them as usual: the node unmounts, and the controller detaches. Until then no other claim on that
 * volume is admitted. Contains no mount flags and no publish context, because a release needs none.
 *
 * @param formerVolume the key of the forgotten volume, by which the nodes know their mounts
 * @param claims the claims whose nodes may still have the volume mounted or staged; all in state UNPUBLISHING
 * @param attachments the attachments that the controller may still have; all in state UNPUBLISHING
 * @param forgotten who forgot the volume, when and why
 * @param createIndex the index of the command that forgot the volume
 */
public record Leftover(
        PluginId pluginId,
        ExternalVolumeId externalVolumeId,
        VolumeKey formerVolume,
        Claims claims,
        Attachments attachments,
        OperatorOverride forgotten,
        long createIndex) {
    public Leftover {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(formerVolume, "formerVolume");
        Objects.requireNonNull(claims, "claims");
        Objects.requireNonNull(attachments, "attachments");
        Objects.requireNonNull(forgotten, "forgotten");
    }

    /** Identifies a volume of a storage provider: at most one leftover of a plugin has a given external volume id. */
    public record Key(PluginId pluginId, ExternalVolumeId externalVolumeId) implements Comparable<Key> {
        public Key {
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        }

        @Override
        public int compareTo(Key other) {
            int byPlugin = pluginId.value().compareTo(other.pluginId.value());
            return byPlugin != 0 ? byPlugin : externalVolumeId.value().compareTo(other.externalVolumeId.value());
        }
    }

    /** Returns the key of this row. */
    public Key key() {
        return new Key(pluginId, externalVolumeId);
    }

    /**
     * Returns what a volume leaves on nodes if it is forgotten now: its claims that no node, no fencing and no override
     * has ended yet, and its attachments without an override.
     *
     * @param lost whether the machine of a claim cannot reach storage any more, so that it has nothing mounted
     * @param index the index of the command that forgets the volume
     * @return empty if nothing of the volume is on a node, or if the volume has no external id yet
     */
    public static Optional<Leftover> of(Volume volume, Predicate<Claim> lost, OperatorOverride forgotten, long index) {
        Claims claims = Claims.empty();
        for (Claim claim : volume.claims()) {
            if (!claim.nodeDetached() && !lost.test(claim)) {
                claims = claims.with(claim.toBuilder()
                        .state(ClaimState.UNPUBLISHING)
                        .retry(Retry.none())
                        .mountOptions(claim.mountOptions().withoutFlags())
                        .formerVolume(claim.formerVolume().orElse(volume.key()))
                        .build());
            }
        }
        Attachments attachments = Attachments.empty();
        for (Attachment attachment : volume.attachments()) {
            if (attachment.operatorOverride().isEmpty()) {
                attachments = attachments.with(attachment.toBuilder()
                        .state(AttachmentState.UNPUBLISHING)
                        .retry(Retry.none())
                        .publishContext(PublishContext.empty())
                        .mountOptions(attachment.mountOptions().withoutFlags())
                        .build());
            }
        }
        if (volume.externalVolumeId().isEmpty() || (claims.isEmpty() && attachments.isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(new Leftover(
                volume.pluginId(),
                volume.externalVolumeId().get(),
                volume.key(),
                claims,
                attachments,
                forgotten,
                index));
    }

    /** Returns the row without the claim of an allocation; empty if nothing remains. */
    public Optional<Leftover> without(AllocationId allocationId) {
        return with(claims.without(allocationId));
    }

    /** Returns the row without some claims; empty if nothing remains. */
    public Optional<Leftover> without(Predicate<Claim> ended) {
        Claims left = claims;
        for (Claim claim : claims) {
            if (ended.test(claim)) {
                left = left.without(claim.allocationId());
            }
        }
        return with(left);
    }

    private Optional<Leftover> with(Claims left) {
        return left.isEmpty() && attachments.isEmpty()
                ? Optional.empty()
                : Optional.of(new Leftover(
                        pluginId, externalVolumeId, formerVolume, left, attachments, forgotten, createIndex));
    }
}
