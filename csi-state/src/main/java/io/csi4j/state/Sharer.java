package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/**
 * Lets volumes refer to the same objects for equal parts, to save memory. A hash table of fixed size keeps recent
 * values; a value replaces an older one in the same slot. Used by one thread.
 */
final class Sharer implements Sharing {
    private static final int SLOTS = 1 << 12;

    private final @Nullable Object[] recent = new @Nullable Object[SLOTS];

    @Override
    @SuppressWarnings("unchecked")
    public <T> T one(T value) {
        int hash = value.hashCode() * 0x9E3779B9;
        int slot = hash >>> (Integer.SIZE - 12);
        Object known = recent[slot];
        // Compares the classes too, because maps and lists of different classes may be equal, and the replacement must
        // have the same class.
        if (known != null && known.getClass() == value.getClass() && known.equals(value)) {
            return (T) known;
        }
        recent[slot] = value;
        return value;
    }

    /** Returns an equal volume with shared parts. The key object is taken from the existing row, if there is one. */
    @SuppressWarnings("ReferenceEquality")
    Volume share(Volume volume, @Nullable Volume before) {
        if (before == null) {
            VolumeKey key =
                    new VolumeKey(one(volume.key().namespace()), volume.key().volumeId());
            return Volume.builder(key, volume.spec().sharing(this), volume.createIndex(), volume.createdAt())
                    .origin(volume.origin())
                    .phase(volume.phase())
                    .facts(share(volume.facts()))
                    .claims(volume.claims())
                    .attachments(volume.attachments())
                    .expansion(volume.expansion().orElse(null))
                    .modification(volume.modification().orElse(null))
                    .retry(volume.retry())
                    .classOrigin(volume.classOrigin().map(this::one).orElse(null))
                    .unsettledTargets(volume.unsettledTargets())
                    .firstClaim(volume.firstClaim().orElse(null))
                    .owner(volume.owner().orElse(null))
                    .formerKey(volume.formerKey().orElse(null))
                    .extraMetadata(volume.extraMetadata())
                    .verification(volume.verification().orElse(null))
                    .modified(volume.modifyIndex(), volume.modifiedAt())
                    .build();
        }
        boolean newSpec = before.spec() != volume.spec();
        boolean newFacts = before.facts() != volume.facts();
        if (!newSpec && !newFacts) {
            return volume;
        }
        Volume.Builder builder = volume.toBuilder();
        if (newSpec) {
            builder.spec(volume.spec().sharing(this));
        }
        if (newFacts) {
            builder.facts(share(volume.facts()));
        }
        return builder.build();
    }

    private ProviderFacts share(ProviderFacts facts) {
        if (facts.equals(ProviderFacts.none())) {
            return ProviderFacts.none();
        }
        return facts.toBuilder()
                .accessibleTopology(one(facts.accessibleTopology()))
                .volumeContext(one(facts.volumeContext()))
                .build();
    }
}
